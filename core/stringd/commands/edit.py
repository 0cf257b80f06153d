"""`/edit`: a file or a part of it with line numbers, or something else in its place."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.file_edits import FORCE, Change, Request, edit, read_request, view
from stringd.documents.editing.edits import (
    block_replaced,
    edited,
    last_line,
    line_span,
    lines_replaced,
    text_replaced,
)
from stringd.documents.editing.spans import stored_block, stored_text
from stringd.documents.syntax.lines import line_number, numbered_lines
from stringd.text.counts import counted, line_count
from stringd.workers.threads import READING


async def _edit(invocation: Invocation) -> Reply:
    request, body = await read_request(invocation, EDIT, FORCE), invocation.line.body
    if not body:
        return await _view(invocation, request)
    changed = await edit(invocation, request, part_replacer(request, body) or (lambda it: edited(it, body)))
    lines = changed.lines if request.means_part else line_count(changed.after)
    whole = "" if request.means_part else ", whole file"
    return changed.reply(f"Edited {request.shown} ({counted(lines, 'line')}{whole})", request.shown)


def part_replacer(request: Request, body: str) -> Change | None:
    """Return what replaces the block or the lines that are meant; None where the whole file is."""
    block, lines = request.target.block, request.target.lines
    if request.included:
        return lambda before: text_replaced(before, body)
    if block:
        return lambda before: block_replaced(before, block, body)
    return (lambda before: lines_replaced(before, *lines, body)) if lines else None


def stored_lines(request: Request, text: str) -> Mapping[int, str]:
    """Return the lines of a file that are meant, by their numbers."""
    start, end = _stored_part(request, text)
    part = numbered_lines(text[start:end])
    first = line_number(text, start)
    return {first + number: part[number] for number in range(last_line(part.text))}


def _stored_part(request: Request, text: str) -> tuple[int, int]:
    block, lines = request.target.block, request.target.lines
    if request.included:
        return stored_text(text)
    if block:
        return stored_block(text, block)
    return line_span(text, *lines) if lines else (0, len(text))


async def _view(invocation: Invocation, request: Request) -> Reply:
    text = await view(invocation, request)
    shown = await READING.run(_numbered, request, text)
    return Reply.page(f"[editing: {request.shown}]", shown, edit_mode=True)


def _numbered(request: Request, text: str) -> str:
    lines = stored_lines(request, text)
    width = len(str(max(lines, default=0)))
    return "\n".join(f"{number:>{width}} │ {line}" for number, line in lines.items())


EDIT = Command(
    name="edit",
    summary="Show a file, a block or lines with line numbers, or replace them with the lines below.",
    usage="/edit path[#block | :L5 | :L5-L10] [--force]\n[text]",
    run=_edit,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
