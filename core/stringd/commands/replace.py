"""`/replace`: replace or delete a block or lines, or replace one text with another."""

from __future__ import annotations

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.edit_arguments import FORCE, EditRequest, read_body, read_request
from stringd.commands.edited_part import part_change
from stringd.commands.file_edits import Change, edit
from stringd.commands.path_hints import with_nearest_path
from stringd.documents.editing.edits import replace_lines
from stringd.documents.editing.replacements import LOOSE, replace_occurrences
from stringd.text.formatting import counted

_ALL = "--all"


@with_nearest_path
async def run(invocation: Invocation) -> Reply:
    """Apply the replacement that target and body describe."""
    request = await read_request(invocation, REPLACE, FORCE, _ALL, LOOSE)
    changed = await edit(invocation, request, _change(invocation, request))
    return changed.reply(f"Replaced {request.shown} ({counted(changed.lines, 'line')})", request.shown)


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
