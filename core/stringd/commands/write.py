"""`/write` and `/append`: text into files."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.edit import part_replacer
from stringd.commands.file_edits import FORCE, edit, read_body, read_request
from stringd.documents.editing.edits import appended, written
from stringd.text.counts import counted, line_count


async def _write(invocation: Invocation) -> Reply:
    request, body = await read_request(invocation, WRITE, FORCE), read_body(invocation, WRITE)
    if request.target.lines:
        request.whole_file(WRITE)
    change = part_replacer(request, body) or (lambda before: written(before, body))
    changed = await edit(invocation, request, change, creates=not request.target.block)
    lines = counted(line_count(changed.after), "line")
    return changed.reply(
        f"Written: {request.shown} ({counted(changed.size, 'byte')}, {lines})", request.shown
    )


async def _append(invocation: Invocation) -> Reply:
    request, body = await read_request(invocation, APPEND, FORCE), read_body(invocation, APPEND)
    request.whole_file(APPEND)
    changed = await edit(invocation, request, lambda before: appended(before, body))
    return changed.reply(f"Appended to: {request.shown} (now {counted(changed.size, 'byte')})", request.shown)


WRITE = Command(
    name="write",
    summary="Create or overwrite a file, or the inside of a block, with the lines below.",
    usage="/write path[#block] [--force]\ntext",
    run=_write,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
APPEND = Command(
    name="append",
    summary="Add the lines below at the end of a file.",
    usage="/append path [--force]\ntext",
    run=_append,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
