"""`/edit`: a file or a part of it with line numbers, or something else in its place."""

from __future__ import annotations

from stringd.commands.changes import FORCE, Change, Request, edit, read_request, view
from stringd.contracts.commands import Command, Invocation, TopicGroup
from stringd.contracts.replies import Reply
from stringd.documents.edits import block_replaced, check_lines, edited, last_line, lines_replaced
from stringd.documents.lines import Lines
from stringd.documents.paths import Target
from stringd.documents.spans import stored_lines
from stringd.text.counts import counted, line_count


async def _edit(invocation: Invocation) -> Reply:
    request, body = read_request(invocation, FORCE), invocation.line.body
    if not body:
        return await _view(invocation, request)
    target = request.target
    changed = await edit(invocation, request, part_replacer(target, body) or (lambda it: edited(it, body)))
    lines = changed.lines if target.block or target.lines else line_count(changed.after)
    whole = "" if target.block or target.lines else ", whole file"
    return changed.reply(f"Edited {request.shown} ({counted(lines, 'line')}{whole})", request.shown)


def part_replacer(target: Target, body: str) -> Change | None:
    """Return what replaces the block or the lines that are meant; None where the whole file is."""
    block, lines = target.block, target.lines
    if block:
        return lambda before: block_replaced(before, block, body)
    return (lambda before: lines_replaced(before, *lines, body)) if lines else None


async def _view(invocation: Invocation, request: Request) -> Reply:
    text = await view(invocation, request)
    lines = Lines(text)
    shown = _chosen(text, request.target)
    width = len(str(shown.stop))
    numbered = (f"{number + 1:>{width}} │ {lines[number]}" for number in shown)
    return Reply.page(f"[editing: {request.shown}]", "\n".join(numbered), edit_mode=True)


def _chosen(text: str, target: Target) -> range:
    if target.block:
        return stored_lines(text, target.block)
    if target.lines:
        check_lines(text, *target.lines)
        return range(target.lines[0] - 1, target.lines[1])
    return range(last_line(text))


EDIT = Command(
    name="edit",
    summary="Show a file, a block or lines with line numbers, or replace them with the lines below.",
    usage="/edit path[#block | :L5 | :L5-L10] [--force]\n[text]",
    run=_edit,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
