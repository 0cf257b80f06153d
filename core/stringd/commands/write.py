"""`/write`: create or overwrite a file or the content of a block."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.edit_arguments import FORCE, read_body, read_request
from stringd.commands.edited_part import part_change
from stringd.commands.file_edits import Changed, PlannedEdit, edit
from stringd.documents.editing.edits import overwrite
from stringd.text.formatting import counted, line_count


async def run(invocation: Invocation) -> Reply:
    """Write the body to the file, creating it if necessary, or to one of its blocks."""
    return await edit(invocation, await plan_write(invocation))


async def plan_write(invocation: Invocation) -> PlannedEdit:
    """Return what `/write` is to change."""
    request, body = await read_request(invocation, WRITE, FORCE), read_body(invocation, WRITE)
    if request.target.lines:
        request.require_whole_file(WRITE)

    def confirm(changed: Changed) -> str:
        lines = counted(line_count(changed.after), "line")
        return f"Written: {request.shown} ({counted(changed.size, 'byte')}, {lines})"

    return PlannedEdit(
        request=request,
        change=part_change(request, body) or (lambda before: overwrite(before, body)),
        confirm=confirm,
        creates=not request.target.block,
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
