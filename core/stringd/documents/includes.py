"""Includes: other files' text in the place of a directive, as if it had been written there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stringd.documents.parse import Directive
from stringd.documents.sheet import Sheet, read_sheet
from stringd.errors import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """What a target in a file leads to: another file, perhaps a block of it, and that file's text."""

    path: Path
    block: str | None
    text: str


ReadFile = Callable[[str, Path], Linked]
"""Finds what a file's author means by a target, or raises `Refusal`."""

DEEPEST = 16


def source_of(directive: Directive, document: Path) -> str:
    """Return what an include names; without a target, a file of the document's own."""
    return directive.target or f"{document.stem}.source/{directive.name}.md"


def with_includes(text: str, document: Path, read: ReadFile) -> str:
    """Return the text with its includes, each a block; what can't be included leaves a line that says so."""
    return _expand(text, document, read, (document,))


def _expand(text: str, document: Path, read: ReadFile, chain: tuple[Path, ...]) -> str:
    sheet = read_sheet(text)
    includes = [it for it in sheet.parsed.directives if it.kind == "include"]
    if not includes:
        return text
    lines, pieces, position = sheet.parsed.lines, [], 0
    for directive in includes:
        pieces += [lines.slice(position, directive.line), _included(directive, document, read, chain, sheet)]
        position = directive.line + 1
    return "".join((*pieces, lines.slice(position, len(lines))))


def _included(
    directive: Directive, document: Path, read: ReadFile, chain: tuple[Path, ...], sheet: Sheet
) -> str:
    target = source_of(directive, document)
    try:
        linked = read(target, document)
        if linked.path in chain:
            return _notice(directive, f"{target} includes itself")
        if len(chain) > DEEPEST:
            return _notice(directive, f"{target} is included too deep")
        expanded = _expand(linked.text, linked.path, read, (*chain, linked.path))
    except Refusal as refusal:
        return _notice(directive, refusal.message)
    inner = _content(expanded, linked.block)
    if inner is None:
        return _notice(directive, f"no block #{linked.block} in {target}")
    if directive.name in sheet.parsed.blocks:
        return f"{inner}\n"
    return f"<!-- #{directive.name} -->\n{inner}\n<!-- /{directive.name} -->\n"


def _content(text: str, block_id: str | None) -> str | None:
    parsed = read_sheet(text).parsed
    if block_id is not None:
        block = parsed.blocks.get(block_id)
        return parsed.lines.slice(block.inner, block.inner_last).rstrip("\r\n") if block else None
    first = parsed.hidden[0][1] if parsed.frontmatter and parsed.hidden else 0
    return parsed.lines.slice(first, len(parsed.lines)).strip("\r\n")


def _notice(directive: Directive, reason: str) -> str:
    return f"> [!] include {directive.name}: {reason}\n"
