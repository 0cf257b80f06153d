"""`/undo`: the topic's last edit, taken back."""

from __future__ import annotations

import asyncio

from stringd.commands.changes import read_if_there
from stringd.contracts.commands import Command, Invocation, TopicGroup
from stringd.contracts.edits import Step
from stringd.contracts.replies import Edit, Reply
from stringd.documents.files import remove_text, write_text
from stringd.documents.locks import finish
from stringd.documents.paths import confine, display
from stringd.documents.topic import digest, seen_by
from stringd.errors import Refusal
from stringd.text.counts import counted, line_count


async def _undo(invocation: Invocation) -> Reply:
    step = await invocation.daemon.undo.last(invocation.session)
    if step is None:
        raise Refusal("NOT_FOUND", "Nothing to undo.")
    async with invocation.daemon.editing(step.path):
        return await finish(_revert(invocation, step))


async def _revert(invocation: Invocation, step: Step) -> Reply:
    session = invocation.session
    shown = display(step.path, session.user)
    confine(step.path, shown, session.user, full_access=invocation.daemon.config.full_access)
    current = await asyncio.to_thread(read_if_there, step.path, shown)
    if current != step.before:
        if current is None or digest(current) != step.after:
            message = f"{shown} has changed since this topic edited it"
            raise Refusal("CONFLICT", message, "Nothing was undone.")
        await asyncio.to_thread(_restore, step, shown)
    await invocation.daemon.undo.drop(session)
    seen_by(invocation.topic).saw(step.path, step.before)
    return _reply(step, shown, current or "")


def _restore(step: Step, shown: str) -> None:
    if step.before is None:
        remove_text(step.path, shown)
    else:
        write_text(step.path, step.before, shown)


def _reply(step: Step, shown: str, current: str) -> Reply:
    before = step.before or ""
    difference = Edit(path=shown, before=current, after=before, summary="Reverted last change")
    if step.before is None:
        return Reply.confirmation(f"Undo: removed {shown}", edit=difference)
    lines = counted(line_count(before), "line")
    return Reply.confirmation(f"Undo: reverted {shown} ({lines})", edit=difference)


UNDO = Command(
    name="undo",
    summary="Take back this topic's last edit; once more, the one before.",
    usage="/undo",
    run=_undo,
    topic_types=TopicGroup.DOCUMENTS,
    takes_arguments=False,
)
