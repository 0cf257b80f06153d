"""`/write`: create or overwrite a file or the content of a block."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.edit_arguments import FORCE, read_body, read_request
from stringd.commands.edited_part import part_change
from stringd.commands.file_edits import edit
from stringd.documents.editing.edits import overwrite
from stringd.text.formatting import counted, line_count


async def run(invocation: Invocation) -> Reply:
    """Write the body to the file, creating it if necessary, or to one of its blocks."""
    request, body = await read_request(invocation, WRITE, FORCE), read_body(invocation, WRITE)
    if request.target.lines:
        request.require_whole_file(WRITE)
    change = part_change(request, body) or (lambda before: overwrite(before, body))
    changed = await edit(invocation, request, change, creates=not request.target.block)
    lines = counted(line_count(changed.after), "line")
    return changed.reply(
        f"Written: {request.shown} ({counted(changed.size, 'byte')}, {lines})", request.shown
    )


WRITE = Command(
    name="write",
    summary="Write a file or the inside of a block.",
    group="Editing",
    usage="/write path[#block] [--force]\ntext",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
