"""Expand include directives: insert other documents' text in their place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from stringd.documents.pages.cached_parsing import read_sheet
from stringd.documents.pages.relocation import moved_into
from stringd.documents.paths.document_origins import Origin, name_of, stem_of
from stringd.documents.syntax.blocks import included_marker
from stringd.documents.syntax.diagnostics import Diagnostic
from stringd.documents.syntax.lines import Lines
from stringd.documents.syntax.parsed_document import ParsedDocument
from stringd.documents.syntax.parser import Directive, Parsed
from stringd.errors import ErrorCode, Refusal
from stringd.text.nearest import nearest


class Linked(Struct, frozen=True, kw_only=True):
    """The resolved target of a link: a document, optionally a block of it, and its text if it exists."""

    origin: Origin
    block: str | None
    text: str | None


Read = Callable[[str, Origin], Linked]
"""Resolves and reads a link in a document, or raises `Refusal`."""

DEEPEST = 16
MOST_INCLUDES = 500
MOST_CHARACTERS = 2_000_000
# Each compares the names of up to two thousand blocks.
_MOST_SUGGESTIONS = 10


def source_of(directive: Directive, document: Origin) -> str:
    """Return the target of an include; without one, the default file beside the document."""
    return directive.target or f"{stem_of(document)}.source/{directive.name}.md"


def include_at(parsed: Parsed, block_id: str) -> Directive | None:
    """Return the include that makes up a block, or that is the only content of the marked block."""
    block = parsed.blocks.get(block_id)
    found = (it for it in parsed.directives if it.kind == "include" and it.name == block_id)
    own = next((it for it in found if block and block.first <= it.line < block.last), None)
    if block is None or own is None:
        return None
    lines = (number for number in range(block.inner, block.inner_last) if number != own.line)
    return None if any(parsed.lines[number].strip() for number in lines) else own


class Stretch(Struct, frozen=True, kw_only=True):
    """An expanded include: its `line` in the document, and its lines `first:last` in the page."""

    name: str
    line: int
    first: int
    last: int


class Expanded(Struct, frozen=True, kw_only=True):
    """A document's text with its includes expanded, and where each of them begins and ends.

    Without includes, the text is the document's own, and `unchanged` what was read of it.
    """

    text: str
    unchanged: ParsedDocument | None = None
    stretches: tuple[Stretch, ...] = ()

    def in_document(self, diagnostic: Diagnostic) -> Diagnostic:
        """Map a diagnostic's line from the page to the document; an included text maps to its directive."""
        number = diagnostic.line - 1
        before = bisect_right(self.stretches, number, key=lambda it: it.first) - 1
        if before < 0:
            return diagnostic
        stretch = self.stretches[before]
        if number < stretch.last:
            return replace(diagnostic, line=stretch.line + 1, subject=f"include {stretch.name}")
        return replace(diagnostic, line=diagnostic.line - (stretch.last - stretch.line - 1))


def with_includes(text: str, document: Origin, read: Read) -> Expanded:
    """Expand a text's includes, each as a block; a failed include leaves a line with the error."""
    return _Expansion(read).expand(text, (document,))


class _Expansion:
    """The expansion of one page, with what is left of its limits on files and characters."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._files = MOST_INCLUDES
        self._characters = MOST_CHARACTERS
        self._suggestions = _MOST_SUGGESTIONS

    def expand(self, text: str, chain: tuple[Origin, ...]) -> Expanded:
        """Expand a text; the chain holds the documents from the page to the one that contains the text."""
        sheet = read_sheet(text)
        parsed = sheet.parsed
        lines, position, height = parsed.lines, 0, 0
        pieces: list[str] = []
        stretches: list[Stretch] = []
        for directive in (it for it in parsed.directives if it.kind == "include"):
            is_named = parsed.blocks[directive.name].first == directive.line
            included = _with_markers(self._included(directive, chain), directive.name if is_named else None)
            first = height + directive.line - position
            height = first + len(Lines(included))
            pieces += [lines.slice(position, directive.line), included]
            stretches.append(Stretch(name=directive.name, line=directive.line, first=first, last=height))
            position = directive.line + 1
        if not pieces:
            return Expanded(text=text, unchanged=sheet)
        tail = lines.slice(position, len(lines))
        return Expanded(text="".join((*pieces, tail)), stretches=tuple(stretches))

    def _included(self, directive: Directive, chain: tuple[Origin, ...]) -> str:
        try:
            return self._read_content(source_of(directive, chain[-1]), chain)
        except Refusal as refusal:
            return f"> [!] include {directive.name}: {refusal.message}"

    def _read_content(self, target: str, chain: tuple[Origin, ...]) -> str:
        if not self._files:
            raise Refusal(ErrorCode.LOAD_ERROR, f"{target} exceeds the limit of {MOST_INCLUDES} includes")
        self._files -= 1
        linked = self._read(target, chain[-1])
        if linked.text is None:
            raise Refusal(ErrorCode.NOT_FOUND, f"File not found: {target}")
        self._characters -= len(linked.text)
        if self._characters < 0:
            raise Refusal(
                ErrorCode.LOAD_ERROR, f"{target} exceeds the limit of {MOST_CHARACTERS:,} included characters"
            )
        if linked.origin in chain:
            raise Refusal(ErrorCode.LOAD_ERROR, f"{target} includes itself")
        if len(chain) > DEEPEST:
            raise Refusal(ErrorCode.LOAD_ERROR, f"{target} is nested too deeply")
        whole = self.expand(linked.text, (*chain, linked.origin)).text
        content = _part_of(whole, linked.block)
        if content is None:
            file = target.rpartition("#")[0] or name_of(chain[-1])
            near = self._nearest(linked.block or "", whole)
            raise Refusal(ErrorCode.BLOCK_NOT_FOUND, f"no block #{linked.block} in {file}{near}")
        return moved_into(content, linked.origin, chain[-1])

    def _nearest(self, block_id: str, text: str) -> str:
        """Return which block of a text may have been meant, for the first misses of a page."""
        self._suggestions -= 1
        near = nearest(block_id, read_sheet(text).parsed.blocks) if self._suggestions >= 0 else None
        return f"; nearest: #{near}" if near else ""


def _part_of(text: str, block_id: str | None) -> str | None:
    parsed = read_sheet(text).parsed
    if block_id is not None:
        block = parsed.blocks.get(block_id)
        return parsed.lines.slice(block.shown_first, block.inner_last).rstrip("\r\n") if block else None
    return parsed.lines.slice(parsed.body, len(parsed.lines)).strip("\r\n")


def _with_markers(content: str, name: str | None) -> str:
    """Enclose included text in block markers, unless another block already has the id."""
    if name is None:
        return f"{content}\n"
    return f"{included_marker('#', name)}\n{content}\n{included_marker('/', name)}\n"
