"""Menus: files of shortcuts that several pages share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from stringd.documents.pages.includes import Read
from stringd.documents.pages.parsing import read_sheet
from stringd.documents.paths.origins import Origin
from stringd.documents.syntax.blocks import Flaw, Names, slug
from stringd.documents.syntax.links import is_directive
from stringd.documents.syntax.parser import Parsed
from stringd.documents.syntax.shortcuts import Shortcut, own_name
from stringd.errors import Refusal

MOST_MENUS = 100
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
    shelf = _Shelf(document, read)
    for directive in parsed.directives:
        if directive.kind != "nav":
            continue
        try:
            _require_free(directive.name)
            menus[directive.name] = replace(shelf.menu(directive.target), name=directive.name)
        except Refusal as refusal:
            flaws.append(Flaw(line=directive.line + 1, message=f"menu {directive.name}: {refusal.message}"))
    return menus, flaws


def _require_free(name: str) -> None:
    if name in RESERVED:
        raise Refusal("INVALID_TARGET", f"the name is reserved for /nav {name}")


class _Shelf:
    """The menu files of a page, each read once, and not too many."""

    def __init__(self, document: Origin, read: Read) -> None:
        self._document = document
        self._read = read
        self._known: dict[str, Menu | Refusal] = {}

    def menu(self, target: str) -> Menu:
        """Return what a target leads to as a menu."""
        if target not in self._known:
            if len(self._known) >= MOST_MENUS:
                raise Refusal("LOAD_ERROR", f"exceeds the limit of {MOST_MENUS} menus")
            self._known[target] = self._found(target)
        known = self._known[target]
        if isinstance(known, Refusal):
            raise known
        return known

    def _found(self, target: str) -> Menu | Refusal:
        try:
            linked = self._read(target, self._document)
        except Refusal as refusal:
            return refusal
        if linked.text is None:
            return Refusal("NOT_FOUND", f"File not found: {target}")
        return Menu(name="", origin=linked.origin, entries=_entries(linked.text))


def _entries(text: str) -> dict[str, Shortcut]:
    names = Names()
    entries: dict[str, Shortcut] = {}
    for link in (it for it in read_sheet(text).parsed.links if not is_directive(it)):
        own = own_name(link)
        name = names.take(own[0] if own else slug(link.label) or "link")
        entries[name] = Shortcut(id=name, label=own[1] if own else link.label, target=link.target)
    return entries
