"""`/edit`: show a file or part of it with line numbers, or replace it."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.edit_arguments import FORCE, EditRequest, read_file, read_request
from stringd.commands.edited_part import part_change, stored_lines
from stringd.commands.file_edits import edit
from stringd.commands.path_hints import with_nearest_path
from stringd.documents.editing.edits import replace_all
from stringd.text.formatting import counted, line_count
from stringd.workers.threads import READING


@with_nearest_path
async def run(invocation: Invocation) -> Reply:
    """Replace the addressed text with the body; without a body, show it."""
    request, body = await read_request(invocation, EDIT, FORCE), invocation.line.body
    if not body:
        return await _show(invocation, request)
    changed = await edit(
        invocation, request, part_change(request, body) or (lambda it: replace_all(it, body))
    )
    lines = changed.lines if request.addresses_part else line_count(changed.after)
    whole = "" if request.addresses_part else ", whole file"
    return changed.reply(f"Edited {request.shown} ({counted(lines, 'line')}{whole})", request.shown)


async def _show(invocation: Invocation, request: EditRequest) -> Reply:
    text = await read_file(invocation, request)
    shown = await READING.run(_numbered, request, text)
    return Reply.page(f"[editing: {request.shown}]", shown, edit_mode=True)


def _numbered(request: EditRequest, text: str) -> str:
    lines = stored_lines(request, text)
    width = len(str(max(lines, default=0)))
    return "\n".join(f"{number:>{width}} │ {line}" for number, line in lines.items())


EDIT = Command(
    name="edit",
    summary="Show a file, a block or lines with numbers, or replace them.",
    group="Editing",
    usage="/edit path[#block | :L5 | :L5-L10] [--force]\n[text]",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
