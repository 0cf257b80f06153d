"""`/replace`: replace or delete a block or lines, or replace one text with another."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.edit_arguments import FORCE, EditRequest, read_body, read_request
from stringd.commands.edited_part import part_change
from stringd.commands.file_edits import Change, PlannedEdit, edit
from stringd.commands.large_edits import addresses_large_part, edit_large
from stringd.commands.path_hints import with_nearest_path
from stringd.documents.editing.edits import replace_lines
from stringd.documents.editing.replacements import LOOSE, replace_occurrences
from stringd.text.formatting import counted

_ALL = "--all"


@with_nearest_path
async def run(invocation: Invocation) -> Reply:
    """Apply the replacement that target and body describe."""
    request = await read_request(invocation, REPLACE, FORCE, _ALL, LOOSE, assumes=True)
    if addresses_large_part(request):
        body = invocation.line.full_body or None
        if request.target.block:
            body = read_body(invocation, REPLACE)
        return await edit_large(invocation, request, body, "Replaced")
    return await edit(invocation, _planned(invocation, request), plan_replace)


async def plan_replace(invocation: Invocation) -> PlannedEdit:
    """Return what `/replace` is to change."""
    return _planned(invocation, await read_request(invocation, REPLACE, FORCE, _ALL, LOOSE))


def _planned(invocation: Invocation, request: EditRequest) -> PlannedEdit:
    return PlannedEdit(
        request=request,
        change=_change(invocation, request),
        confirm=lambda it: f"Replaced {request.shown} ({counted(it.lines, 'line')})",
    )


def _change(invocation: Invocation, request: EditRequest) -> Change:
    lines = request.target.lines
    if lines and not invocation.line.body:
        return lambda before: replace_lines(before, *lines, None)
    body = read_body(invocation, REPLACE)
    every, loose = _ALL in request.options, LOOSE in request.options
    return part_change(request, body) or (
        lambda it: replace_occurrences(it, body, request.shown, every=every, loose=loose)
    )


REPLACE = Command(
    name="replace",
    summary="Replace or delete a block, lines, or a text.",
    group="Editing",
    usage="/replace path#block [--force]\ntext\n"
    "/replace path:L5 | path:L5-L10 [--force]\n[text]\n"
    f"/replace path [--all] [{LOOSE}] [--force]\nold\n---\nnew",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
)
