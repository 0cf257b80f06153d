"""The part of a file that an editing command addresses: a block, a range of lines or an included file."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.commands.edit_arguments import EditRequest
from stringd.commands.file_edits import Change
from stringd.documents.editing.edits import (
    last_line,
    line_span,
    replace_block,
    replace_lines,
    replace_text,
)
from stringd.documents.editing.spans import stored_block, stored_text
from stringd.documents.syntax.lines import line_number, numbered_lines


def part_change(request: EditRequest, body: str) -> Change | None:
    """Return the change that replaces the addressed part; None if the whole file is addressed."""
    block, lines = request.target.block, request.target.lines
    if request.included:
        return lambda before: replace_text(before, body)
    if block:
        return lambda before: replace_block(before, block, body)
    return (lambda before: replace_lines(before, *lines, body)) if lines else None


def stored_lines(request: EditRequest, text: str) -> Mapping[int, str]:
    """Return the addressed lines of a file's text, by line number."""
    start, end = _stored_span(request, text)
    part = numbered_lines(text[start:end])
    first = line_number(text, start)
    return {first + number: part[number] for number in range(last_line(part.text))}


def _stored_span(request: EditRequest, text: str) -> tuple[int, int]:
    block, lines = request.target.block, request.target.lines
    if request.included:
        return stored_text(text)
    if block:
        return stored_block(text, block)
    return line_span(text, *lines) if lines else (0, len(text))
