"""Read the menus of a page: files of shortcuts that several pages share."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from stringd.documents.pages.cached_parsing import read_sheet
from stringd.documents.pages.includes import Read
from stringd.documents.paths.document_origins import Origin
from stringd.documents.syntax.blocks import Names, slug
from stringd.documents.syntax.diagnostics import Diagnostic, DiagnosticCode
from stringd.documents.syntax.links import is_directive
from stringd.documents.syntax.parser import Parsed
from stringd.documents.syntax.shortcuts import Shortcut, own_name
from stringd.errors import ErrorCode, Refusal

MOST_MENUS = 100
# Names with a meaning of their own in `/nav`.
RESERVED = {"page", "scaffold"}


class Menu(Struct, frozen=True, kw_only=True):
    """A menu: its name, the document that it was read from, and its entries by id."""

    name: str
    origin: Origin
    entries: Mapping[str, Shortcut]


def find_menus(parsed: Parsed, document: Origin, read: Read) -> tuple[dict[str, Menu], list[Diagnostic]]:
    """Read the menus that a page names; one that cannot be read or addressed becomes a diagnostic."""
    menus: dict[str, Menu] = {}
    diagnostics: list[Diagnostic] = []
    reader = _MenuReader(document, read)
    for directive in parsed.directives:
        if directive.kind != "nav":
            continue
        try:
            _require_free(directive.name)
            menus[directive.name] = replace(reader.menu(directive.target), name=directive.name)
        except Refusal as refusal:
            arguments = {"name": directive.name, "reason": refusal.message}
            diagnostics.append(Diagnostic(DiagnosticCode.MENU_UNREADABLE, directive.line + 1, arguments))
    return menus, diagnostics


def _require_free(name: str) -> None:
    if name in RESERVED:
        raise Refusal(ErrorCode.INVALID_TARGET, f"the name is reserved for /nav {name}")


class _MenuReader:
    """Reads the menu files of one page, each once, up to a limit."""

    def __init__(self, document: Origin, read: Read) -> None:
        self._document = document
        self._read = read
        self._known: dict[str, Menu | Refusal] = {}

    def menu(self, target: str) -> Menu:
        """Return the menu at a target, or raise the refusal of reading it."""
        if target not in self._known:
            if len(self._known) >= MOST_MENUS:
                raise Refusal(ErrorCode.LOAD_ERROR, f"exceeds the limit of {MOST_MENUS} menus")
            self._known[target] = self._read_menu(target)
        known = self._known[target]
        if isinstance(known, Refusal):
            raise known
        return known

    def _read_menu(self, target: str) -> Menu | Refusal:
        try:
            linked = self._read(target, self._document)
        except Refusal as refusal:
            return refusal
        if linked.text is None:
            return Refusal(ErrorCode.NOT_FOUND, f"File not found: {target}")
        return Menu(name="", origin=linked.origin, entries=_entries(linked.text))


def _entries(text: str) -> dict[str, Shortcut]:
    names = Names()
    entries: dict[str, Shortcut] = {}
    for link in (it for it in read_sheet(text).parsed.links if not is_directive(it)):
        own = own_name(link)
        name = names.take(own[0] if own else slug(link.label) or "link")
        entries[name] = Shortcut(id=name, label=own[1] if own else link.label, target=link.target)
    return entries
