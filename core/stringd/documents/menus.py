"""Menus: files of shortcuts that several pages share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stringd.documents.includes import Read
from stringd.documents.links import is_directive
from stringd.documents.origins import Origin
from stringd.documents.outline import Flaw, Names, slug
from stringd.documents.parse import Directive, Parsed
from stringd.documents.sheet import read_sheet
from stringd.documents.shortcuts import Shortcut, own_name
from stringd.errors import Refusal

# What `/nav` has words of its own for.
RESERVED = {"page", "scaffold"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """A menu by its name: where it stands, and its entries by id."""

    name: str
    origin: Origin
    entries: Mapping[str, Shortcut]


def find_menus(parsed: Parsed, document: Origin, read: Read) -> tuple[dict[str, Menu], list[Flaw]]:
    """Read the menus that a page names; one that can't be, or be asked for, is a flaw of the page."""
    menus: dict[str, Menu] = {}
    flaws: list[Flaw] = []
    for directive in parsed.directives:
        if directive.kind != "nav":
            continue
        try:
            _require_free(directive.name)
            menus[directive.name] = _menu(directive, document, read)
        except Refusal as refusal:
            flaws.append(Flaw(line=directive.line + 1, message=f"menu {directive.name}: {refusal.message}"))
    return menus, flaws


def _require_free(name: str) -> None:
    if name in RESERVED:
        raise Refusal("INVALID_TARGET", f"/nav {name} shows something else, give it another name")


def _menu(directive: Directive, document: Origin, read: Read) -> Menu:
    linked = read(directive.target, document)
    if linked.text is None:
        raise Refusal("NOT_FOUND", f"File not found: {directive.target}")
    return Menu(name=directive.name, origin=linked.origin, entries=_entries(linked.text))


def _entries(text: str) -> dict[str, Shortcut]:
    names = Names()
    entries: dict[str, Shortcut] = {}
    for link in (it for it in read_sheet(text).parsed.links if not is_directive(it)):
        own = own_name(link)
        name = names.take(own[0] if own else slug(link.label) or "link")
        entries[name] = Shortcut(id=name, label=own[1] if own else link.label, target=link.target)
    return entries
