"""`/replace`: a block, lines, or one text by another."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.edit import part_replacer
from stringd.commands.file_edits import FORCE, Change, Request, edit, read_body, read_request
from stringd.documents.editing.edits import lines_replaced, swapped
from stringd.text.counts import counted

_ALL = "--all"


async def _replace(invocation: Invocation) -> Reply:
    request = await read_request(invocation, REPLACE, FORCE, _ALL)
    changed = await edit(invocation, request, _change(invocation, request))
    return changed.reply(f"Replaced {request.shown} ({counted(changed.lines, 'line')})", request.shown)


def _change(invocation: Invocation, request: Request) -> Change:
    lines = request.target.lines
    if lines and not invocation.line.body:
        return lambda before: lines_replaced(before, *lines, None)
    body = read_body(invocation, REPLACE)
    every = _ALL in request.options
    return part_replacer(request, body) or (lambda it: swapped(it, body, request.shown, every=every))


REPLACE = Command(
    name="replace",
    summary="Replace a block or lines with the lines below, or one text with another; without any, lines go.",
    usage="/replace path#block [--force]\ntext\n"
    "/replace path:L5 | path:L5-L10 [--force]\n[text]\n"
    "/replace path [--all] [--force]\nold\n---\nnew",
    run=_replace,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
