"""A document as a page: its text with what it includes, its menus, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from stringd.api.documents import Document, Package
from stringd.api.load_options import UNRESTRICTED, LoadOptions
from stringd.api.outlines import Outline
from stringd.api.zones import Zone
from stringd.documents.pages.includes import Expanded, Linked, Read, with_includes
from stringd.documents.pages.menus import Menu, find_menus
from stringd.documents.pages.parsing import read_sheet
from stringd.documents.paths.origins import Origin
from stringd.documents.syntax.actions import Action, call_hint
from stringd.documents.syntax.diagnostics import Diagnostic
from stringd.documents.syntax.parsed_document import ParsedDocument
from stringd.documents.syntax.rendering import Rendered
from stringd.documents.syntax.shortcuts import Shortcut
from stringd.documents.syntax.structured import structured_document
from stringd.errors import Refusal
from stringd.text.listing import MOST, listed, nearest_first
from stringd.text.nearest import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A document that is open: the file that it lies in, or None for one that came over the network."""

    uri: str
    path: Path | None
    source: str
    sheet: ParsedDocument
    menus: Mapping[str, Menu] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    """All that can't mean what its author meant, by the lines of the source."""
    included: Mapping[Path, str | None] = field(default_factory=dict)
    """The files that it includes, as they were; None for one that is not there."""
    package: Package | None = None
    zone: Zone = Zone.LOOPBACK
    """The farthest zone that any of its text came from; its links may lead no nearer."""
    left_out: tuple[str, ...] = ()
    """What a reader is told, in a line each, of what it names and may not lead to."""
    options: LoadOptions = UNRESTRICTED
    """How to load it again; `nearest_zone` is where it came from itself, without what it includes."""

    @property
    def title(self) -> str | None:
        """The page's title."""
        return self.sheet.parsed.title

    @property
    def stands_alone(self) -> bool:
        """Whether no other file has a part in the page."""
        return not self.sheet.parsed.directives and self.source == self.sheet.parsed.lines.text

    def introduced(self, text: str, actions: Iterable[Action], hints: Iterable[str]) -> str:
        """Return the page's text as it is shown: what the page offers, more hints, a blank line, the text."""
        hints = "\n".join((*self._offers(actions), *hints))
        return f"{hints}\n\n{text}" if hints else text

    def rendered(self, block_id: str | None = None) -> Rendered:
        """Return the text that is shown, or only a block of it, or refuse with the ids there are."""
        if block_id is None:
            return self.sheet.rendered
        shown = self.sheet.block(block_id)
        if shown is None:
            where = "/edit path" if self.path else "/open url"
            raise unknown_block(block_id, self.sheet.parsed.blocks, where)
        return shown

    @property
    def origin(self) -> Origin:
        """Where its own targets are meant from."""
        return self.path or self.uri

    def shortcut(self, name: str) -> tuple[Shortcut, Origin]:
        """Return what `@name` stands for, and where that is meant from."""
        own = self.sheet.shortcuts.by_id.get(name)
        if own:
            return own, self.origin
        menu_name, _, entry = name.partition(".")
        menu = self.menus.get(menu_name)
        if menu and entry in menu.entries:
            return menu.entries[entry], menu.origin
        raise self._unknown_shortcut(name)

    def has_shortcut(self, name: str) -> bool:
        """Whether `@name` is the page's own, or an entry of one of its menus."""
        menu_name, _, entry = name.partition(".")
        menu = self.menus.get(menu_name)
        return name in self.sheet.shortcuts.by_id or (menu is not None and entry in menu.entries)

    def _offers(self, actions: Iterable[Action]) -> Iterator[str]:
        if self.sheet.notice:
            yield self.sheet.notice
        if self.menus:
            yield f"[nav] {', '.join(self.menus)} — /nav <name>"
        calls = call_hint(actions)
        if calls:
            yield calls
        yield from self.left_out

    def _unknown_shortcut(self, name: str) -> Refusal:
        known = [*self.sheet.shortcuts.by_id]
        known += [f"{menu.name}.{entry}" for menu in self.menus.values() for entry in menu.entries]
        meant = nearest(name, known)
        context = [f"nearest: @{meant}"] if meant else []
        return Refusal("NOT_FOUND", f"Shortcut not found: @{name}", *context, "/nav page lists this page's.")


def file_page(path: Path, source: str, read: Read) -> Page:
    """Assemble the page of a file; the files that it names are found through `read`."""
    included: dict[Path, str | None] = {}

    def read_included(target: str, author: Origin) -> Linked:
        linked = read(target, author)
        if isinstance(linked.origin, Path):
            included[linked.origin] = linked.text
        return linked

    expanded = with_includes(source, path, read_included)
    sheet = read_sheet(expanded.text)
    menus, menu_diagnostics = find_menus(sheet.parsed, path, read)
    return Page(
        uri=path.as_uri(),
        path=path,
        source=source,
        sheet=sheet,
        menus=menus,
        diagnostics=in_document(expanded, sheet, menu_diagnostics),
        included=included,
    )


def in_document(
    expanded: Expanded, sheet: ParsedDocument, menu_diagnostics: Iterable[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Return all diagnostics of a page, in the order of the document's lines."""
    found = map(expanded.in_document, (*sheet.diagnostics, *menu_diagnostics))
    return tuple(sorted(found, key=lambda it: it.line))


def outlined_page(document: Document, outline: Outline) -> Page:
    """Return the page of what a renderer made, and knows the structure of."""
    sheet = structured_document(document.text, document.title, outline, document.uri)
    return Page(
        uri=document.uri,
        path=None,
        source=document.text if document.source is None else document.source,
        sheet=sheet,
        diagnostics=sheet.diagnostics,
        zone=document.zone,
        options=LoadOptions(nearest_zone=document.zone),
    )


def unknown_block(block_id: str, known: Mapping[str, object], where: str = "/edit path") -> Refusal:
    """Return the refusal of a block that is not there, with the blocks there are and what shows the rest."""
    names = nearest_first(block_id, known)
    meant = nearest(block_id, names[:MOST])
    context = [f"available: {listed([f'#{name}' for name in names], f'{where} shows the text') or '(none)'}"]
    context += [f"nearest: #{meant}"] if meant else []
    return Refusal("BLOCK_NOT_FOUND", f"Block not found: #{block_id}", *context)
