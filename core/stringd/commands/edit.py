"""`/edit`: show a file or part of it with line numbers, or replace it."""

from __future__ import annotations

from collections.abc import Mapping

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.edit_arguments import FORCE, EditRequest, read_body, read_file, read_request
from stringd.commands.edited_part import part_change, stored_lines
from stringd.commands.file_edits import Changed, PlannedEdit, edit
from stringd.commands.large_edits import addresses_large_part, edit_large, large_lines
from stringd.commands.path_hints import with_nearest_path
from stringd.documents.editing.edits import replace_all
from stringd.text.formatting import counted, line_count
from stringd.workers.threads import READING


@with_nearest_path
async def run(invocation: Invocation) -> Reply:
    """Replace the addressed text with the body; without a body, show it."""
    request = await read_request(invocation, EDIT, FORCE, assumes=bool(invocation.line.body))
    if not invocation.line.body:
        return await _show(invocation, request)
    if addresses_large_part(request):
        return await edit_large(invocation, request, read_body(invocation, EDIT), "Edited")
    return await edit(invocation, _planned(invocation, request), plan_edit)


async def plan_edit(invocation: Invocation) -> PlannedEdit:
    """Return what `/edit` is to change."""
    return _planned(invocation, await read_request(invocation, EDIT, FORCE))


def _planned(invocation: Invocation, request: EditRequest) -> PlannedEdit:
    body = read_body(invocation, EDIT)

    def confirm(changed: Changed) -> str:
        if request.addresses_part:
            return f"Edited {request.shown} ({counted(changed.lines, 'line')})"
        return f"Edited {request.shown} ({counted(line_count(changed.after), 'line')}, whole file)"

    change = part_change(request, body) or (lambda it: replace_all(it, body))
    return PlannedEdit(request=request, change=change, confirm=confirm)


async def _show(invocation: Invocation, request: EditRequest) -> Reply:
    if addresses_large_part(request):
        shown = _numbered(await large_lines(invocation, request))
    else:
        text = await read_file(invocation, request)
        shown = await READING.run(lambda: _numbered(stored_lines(request, text)))
    return Reply.page(f"[editing: {request.shown}]", shown, edit_mode=True)


def _numbered(lines: Mapping[int, str]) -> str:
    width = len(str(max(lines, default=0)))
    return "\n".join(f"{number:>{width}} │ {line}" for number, line in lines.items())


EDIT = Command(
    name="edit",
    summary="Show or replace a file, a block or lines.",
    group="Editing",
    usage="/edit path[#block | :L5 | :L5-L10] [--force]\n[text]",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
