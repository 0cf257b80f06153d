"""Includes: other files' text in the place of a directive, as if it had been written there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stringd.documents.lines import Lines
from stringd.documents.outline import Flaw
from stringd.documents.parse import Directive
from stringd.documents.sheet import Sheet, read_sheet
from stringd.errors import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """What a target in a file leads to: another file, perhaps a block of it, and that file's text, if any."""

    path: Path
    block: str | None
    text: str | None


ReadFile = Callable[[str, Path], Linked]
"""Finds what a file's author means by a target, or raises `Refusal`."""

DEEPEST = 16


def source_of(directive: Directive, document: Path) -> str:
    """Return what an include names; without a target, a file of the document's own."""
    return directive.target or f"{document.stem}.source/{directive.name}.md"


def include_at(text: str, block_id: str) -> Directive | None:
    """Return the include that a block is, or that a marked block of its id holds and nothing else."""
    # Else a large text would be taken apart for nothing.
    if f"[!include:{block_id}]" not in text:
        return None
    parsed = read_sheet(text).parsed
    block = parsed.blocks.get(block_id)
    found = (it for it in parsed.directives if it.kind == "include" and it.name == block_id)
    own = next((it for it in found if block and block.first <= it.line < block.last), None)
    if block is None or own is None:
        return None
    lines = (number for number in range(block.inner, block.inner_last) if number != own.line)
    return None if any(parsed.lines[number].strip() for number in lines) else own


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Where an include stands: in `line` of its document, and from `first` up to `last` of the page."""

    name: str
    line: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Expanded:
    """A document's text with its includes, and where each of them begins and ends."""

    text: str
    stretches: tuple[Stretch, ...] = ()

    def in_document(self, flaw: Flaw) -> Flaw:
        """Return a flaw of the page with its line in the document; what is included stands in one line."""
        number, added = flaw.line - 1, 0
        for stretch in self.stretches:
            if number < stretch.first:
                break
            if number < stretch.last:
                return Flaw(line=stretch.line + 1, message=f"include {stretch.name}: {flaw.message}")
            added = stretch.last - stretch.line - 1
        return Flaw(line=flaw.line - added, message=flaw.message)


def with_includes(text: str, document: Path, read: ReadFile) -> Expanded:
    """Return the text with its includes, each a block; what can't be included leaves a line that says so."""
    return _expand(text, document, read, (document,))


def _expand(text: str, document: Path, read: ReadFile, chain: tuple[Path, ...]) -> Expanded:
    sheet = read_sheet(text)
    lines, position, height = sheet.parsed.lines, 0, 0
    pieces: list[str] = []
    stretches: list[Stretch] = []
    for directive in (it for it in sheet.parsed.directives if it.kind == "include"):
        included = _included(directive, document, read, chain, sheet)
        first = height + directive.line - position
        height = first + len(Lines(included))
        pieces += [lines.slice(position, directive.line), included]
        stretches.append(Stretch(name=directive.name, line=directive.line, first=first, last=height))
        position = directive.line + 1
    tail = lines.slice(position, len(lines))
    return Expanded(text="".join((*pieces, tail)) if pieces else text, stretches=tuple(stretches))


def _included(
    directive: Directive, document: Path, read: ReadFile, chain: tuple[Path, ...], sheet: Sheet
) -> str:
    inner = _inner(directive, document, read, chain)
    if sheet.parsed.blocks[directive.name].first != directive.line:
        # The id is someone else's: a block of the page, or an include before this one.
        return f"{inner}\n"
    return f"<!-- #{directive.name} -->\n{inner}\n<!-- /{directive.name} -->\n"


def _inner(directive: Directive, document: Path, read: ReadFile, chain: tuple[Path, ...]) -> str:
    target = source_of(directive, document)
    try:
        linked = read(target, document)
        if linked.text is None:
            return _notice(directive, f"File not found: {target}")
        if linked.path in chain:
            return _notice(directive, f"{target} includes itself")
        if len(chain) > DEEPEST:
            return _notice(directive, f"{target} is included too deep")
        expanded = _expand(linked.text, linked.path, read, (*chain, linked.path)).text
    except Refusal as refusal:
        return _notice(directive, refusal.message)
    inner = _content(expanded, linked.block)
    return _notice(directive, f"no block #{linked.block} in {target}") if inner is None else inner


def _content(text: str, block_id: str | None) -> str | None:
    parsed = read_sheet(text).parsed
    if block_id is not None:
        block = parsed.blocks.get(block_id)
        return parsed.lines.slice(block.inner, block.inner_last).rstrip("\r\n") if block else None
    return parsed.lines.slice(parsed.body, len(parsed.lines)).strip("\r\n")


def _notice(directive: Directive, reason: str) -> str:
    return f"> [!] include {directive.name}: {reason}"
