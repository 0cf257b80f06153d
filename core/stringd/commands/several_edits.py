"""`/edits`: several edits, of one file or several, all or none of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from stringd.api.commands import Command, CommandLine, Invocation, TopicGroup
from stringd.api.replies import Reply
from stringd.commands.append import plan_append
from stringd.commands.edit import plan_edit
from stringd.commands.edit_arguments import read_body
from stringd.commands.file_edits import Plan, PlannedEdit, edit_together
from stringd.commands.path_hints import with_nearest
from stringd.commands.replace import plan_replace
from stringd.commands.write import plan_write
from stringd.errors import ErrorCode, NoSuchFile, Refusal
from stringd.text.command_line import label, parse_command, trimmed
from stringd.text.formatting import counted
from stringd.text.nearest import nearest

MOST_EDITS = 100
_PLANS: Mapping[str, Plan] = {
    "append": plan_append,
    "edit": plan_edit,
    "replace": plan_replace,
    "write": plan_write,
}
_FIRST = re.compile(r"(={3,})[ \t]+/\S")
_NO_EDITS = "The body must begin with a line such as: === /replace path:L5-L10"


async def run(invocation: Invocation) -> Reply:
    """Make the edits of all sections of the body, or none of them."""
    lines = _sections(read_body(invocation, EDITS))
    planned = []
    for number, line in enumerate(lines, 1):
        try:
            plan = await _plan(replace(invocation, line=line))
            planned.append(replace(plan, where=_where(number, line)))
        except Refusal as refusal:
            raise await _in_edit(refusal, number, line, invocation) from None
    confirmations = await edit_together(invocation, planned)
    files = len({it.request.target.path for it in planned})
    system = f"Edited {files} file{'s' * (files != 1)} ({counted(len(planned), 'edit')})"
    return Reply.page(system, "\n".join(confirmations))


async def _plan(invocation: Invocation) -> PlannedEdit:
    word = invocation.line.word
    plan = _PLANS.get(word)
    if plan is None:
        meant = nearest(word, _PLANS)
        takes = f"takes: {', '.join(f'/{it}' for it in _PLANS)}"
        hint = [f"nearest: /{meant}"] if meant else []
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"Not an editing command: /{word}", takes, *hint)
    return await plan(invocation)


async def _in_edit(refusal: Refusal, number: int, line: CommandLine, invocation: Invocation) -> Refusal:
    """Return the refusal of an edit, which says which one it is."""
    if isinstance(refusal, NoSuchFile):
        refusal = await with_nearest(refusal, invocation)
    return Refusal(refusal.code, refusal.message, *refusal.context, *_where(number, line))


def _where(number: int, line: CommandLine) -> tuple[str, ...]:
    return f"in edit {number}: {label(line.text)}", "Nothing was edited."


def _sections(body: str) -> Sequence[CommandLine]:
    """Split a body at the lines that begin like its first one: a run of `=` and a command."""
    first = _FIRST.match(body)
    if first is None:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, _NO_EDITS, f"Usage: {EDITS.usage}")
    headers = re.compile(rf"^{first[1]}[ \t]+(?=/\S)", re.MULTILINE)
    starts = [it.span() for it in headers.finditer(body)]
    if len(starts) > MOST_EDITS:
        message = f"/edits takes up to {MOST_EDITS} edits, not {len(starts)}."
        raise Refusal(ErrorCode.INVALID_PAYLOAD, message)
    ends = [*(start for start, _ in starts[1:]), len(body)]
    texts = [body[begin:end] for (_, begin), end in zip(starts, ends, strict=True)]
    # Only the last one has lost its line end.
    return [parse_command(trimmed(it if it.endswith("\n") else f"{it}\n")) for it in texts]


EDITS = Command(
    name="edits",
    summary="Make several edits, or none.",
    group="Editing",
    usage="/edits\n=== /replace path:L5-L10\ntext\n=== /replace path\nold\n---\nnew\n=== /write path\ntext",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
    takes_body=True,
    takes_arguments=False,
)
