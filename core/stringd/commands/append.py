"""`/append`: add text at the end of a file."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.edit_arguments import FORCE, read_body, read_request
from stringd.commands.file_edits import PlannedEdit, edit
from stringd.commands.path_hints import with_nearest_path
from stringd.documents.editing.edits import append
from stringd.text.formatting import counted


@with_nearest_path
async def run(invocation: Invocation) -> Reply:
    """Append the body to the file."""
    return await edit(invocation, await plan_append(invocation))


async def plan_append(invocation: Invocation) -> PlannedEdit:
    """Return what `/append` is to change."""
    request, body = await read_request(invocation, APPEND, FORCE), read_body(invocation, APPEND)
    request.require_whole_file(APPEND)
    return PlannedEdit(
        request=request,
        change=lambda before: append(before, body),
        confirm=lambda it: f"Appended to: {request.shown} (now {counted(it.size, 'byte')})",
    )


APPEND = Command(
    name="append",
    summary="Add the lines below at the end of a file.",
    group="Editing",
    usage="/append path [--force]\ntext",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
