"""Pages: documents with their includes and menus, ready to be shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field

from stringd.api.documents import Document, Package
from stringd.api.load_options import UNRESTRICTED, LoadOptions
from stringd.api.outlines import Outline
from stringd.api.zones import Zone
from stringd.documents.pages.cached_parsing import read_sheet
from stringd.documents.pages.includes import Expanded, Linked, Read, with_includes
from stringd.documents.pages.menus import Menu, find_menus
from stringd.documents.paths.document_origins import Origin
from stringd.documents.syntax.actions import Action, call_hint
from stringd.documents.syntax.diagnostics import Diagnostic
from stringd.documents.syntax.document_text import Rendered
from stringd.documents.syntax.parsed_document import ParsedDocument
from stringd.documents.syntax.shortcuts import Shortcut
from stringd.documents.syntax.structured import structured_document
from stringd.errors import ErrorCode, Refusal
from stringd.text.formatting import MOST, listed, nearest_first
from stringd.text.nearest import nearest


class Page(Struct, frozen=True, kw_only=True):
    """An open document; `path` is its file, or None if it was loaded from a URI."""

    uri: str
    path: Path | None
    source: str
    sheet: ParsedDocument
    menus: Mapping[str, Menu] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    """The constructs that cannot work as written, by line of the source."""
    included: Mapping[Path, str | None] = field(default_factory=dict)
    """The text of each included file; None if the file does not exist."""
    package: Package | None = None
    zone: Zone = Zone.LOOPBACK
    """The farthest zone that any of its text came from; its links may lead no nearer."""
    left_out: tuple[str, ...] = ()
    """Notices about menus that were left out because the page may not lead to them."""
    omissions: tuple[str, ...] = ()
    """What of the document the text lacks, as it would be too long."""
    options: LoadOptions = UNRESTRICTED
    """How to load it again; `nearest_zone` is its own zone, regardless of what it includes."""

    @property
    def title(self) -> str | None:
        """The page's title."""
        return self.sheet.parsed.title

    @property
    def stands_alone(self) -> bool:
        """Whether the page depends on no other file."""
        is_own = self.sheet.from_outline or self.source == self.sheet.parsed.lines.text
        return not self.sheet.parsed.directives and is_own

    @property
    def offers_nothing(self) -> bool:
        """Whether it has no actions and menus of its own, needs no variable, and comes without a notice."""
        sheet = self.sheet
        declared = sheet.parsed.declarations
        needed = declared.secrets or declared.required
        return not (sheet.actions.actions or needed or self.menus or self.left_out or sheet.notice)

    def introduced(self, text: str, actions: Iterable[Action], hints: Iterable[str]) -> str:
        """Return a text of the page preceded by what the page offers, the given hints and a blank line."""
        hints = "\n".join((*self._offers(actions), *hints))
        return f"{hints}\n\n{text}" if hints else text

    def rendered(self, block_id: str | None = None) -> Rendered:
        """Return the rendered page or block; the refusal of an unknown block lists the known ones."""
        if block_id is None:
            return self.sheet.rendered
        shown = self.sheet.block(block_id)
        if shown is None:
            where = "/edit path" if self.path else "/open url"
            raise unknown_block(block_id, self.sheet.parsed.blocks, where)
        return shown

    @property
    def origin(self) -> Origin:
        """The origin that its relative links are resolved against."""
        return self.path or self.uri

    def shortcut(self, name: str) -> tuple[Shortcut, Origin]:
        """Return the shortcut `@name`, and the origin that its target is resolved against."""
        own = self.sheet.shortcuts.by_id.get(name)
        if own:
            return own, self.origin
        menu_name, _, entry = name.partition(".")
        menu = self.menus.get(menu_name)
        if menu and entry in menu.entries:
            return menu.entries[entry], menu.origin
        raise self._unknown_shortcut(name)

    def has_shortcut(self, name: str) -> bool:
        """Whether the page or one of its menus defines `@name`."""
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
        suggestion = nearest(name, known)
        context = [f"nearest: @{suggestion}"] if suggestion else []
        return Refusal(
            ErrorCode.NOT_FOUND, f"Shortcut not found: @{name}", *context, "/nav page lists this page's."
        )


def file_page(path: Path, source: str, read: Read) -> Page:
    """Build the page of a file; `read` reads its includes and menus."""
    included: dict[Path, str | None] = {}

    def read_included(target: str, author: Origin) -> Linked:
        linked = read(target, author)
        if isinstance(linked.origin, Path):
            included[linked.origin] = linked.text
        return linked

    expanded = with_includes(source, path, read_included)
    sheet = expanded.unchanged or read_sheet(expanded.text)
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
    """Return all diagnostics of a page, by line of the document."""
    found = map(expanded.in_document, (*sheet.diagnostics, *menu_diagnostics))
    return tuple(sorted(found, key=lambda it: it.line))


def outlined_page(document: Document, outline: Outline) -> Page:
    """Build the page of a document whose renderer supplied the outline."""
    sheet = structured_document(document.text, document.title, outline, document.uri)
    return Page(
        uri=document.uri,
        path=None,
        source=document.text if document.source is None else document.source,
        sheet=sheet,
        diagnostics=sheet.diagnostics,
        zone=document.zone,
        options=LoadOptions(nearest_zone=document.zone),
        omissions=document.omissions,
    )


def unknown_block(block_id: str, known: Mapping[str, object], where: str = "/edit path") -> Refusal:
    """Return the refusal of an unknown block, which lists the known ones and how to see the rest."""
    names = nearest_first(block_id, known)
    suggestion = nearest(block_id, names[:MOST])
    context = [f"available: {listed([f'#{name}' for name in names], f'{where} shows the text') or '(none)'}"]
    context += [f"nearest: #{suggestion}"] if suggestion else []
    return Refusal(ErrorCode.BLOCK_NOT_FOUND, f"Block not found: #{block_id}", *context)
