"""`/undo`: revert the topic's last edit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Edit, Reply
from stringd.api.undo import Step
from stringd.commands.edit_arguments import FORCE
from stringd.documents.editing.file_locks import finish
from stringd.documents.editing.seen_files import digest, record_seen
from stringd.documents.paths.text_files import read_if_there, remove_directories, remove_text, write_text
from stringd.errors import ErrorCode, Refusal
from stringd.files.typed_paths import confine, display
from stringd.text.formatting import counted, line_count
from stringd.text.path_arguments import parse_path_arguments
from stringd.workers.threads import STORAGE

_SKIP = "--skip"


async def run(invocation: Invocation) -> Reply:
    """Revert the last edit, or skip it."""
    arguments = parse_path_arguments(invocation.line.arguments, FORCE, _SKIP)
    if arguments.path:
        raise Refusal(
            ErrorCode.INVALID_PAYLOAD, f"/undo takes no path: {arguments.path}", f"Usage: {UNDO.usage}"
        )
    while step := await invocation.runtime.undo.last(invocation.session):
        if _SKIP in arguments.options:
            await invocation.runtime.undo.drop(invocation.session)
            return Reply.confirmation(f"Undo: skipped {display(step.path, invocation.session.user)}")
        real = _real_path(invocation, step)
        async with invocation.runtime.editing(real):
            reply = await finish(_revert(invocation, step, real, forced=FORCE in arguments.options))
        if reply:
            return reply
    raise Refusal(ErrorCode.NOT_FOUND, "Nothing to undo.")


def _real_path(invocation: Invocation, step: Step) -> Path:
    """Return where the path of a step leads by now, or refuse."""
    user = invocation.session.user
    return confine(
        step.path, display(step.path, user), user, full_access=invocation.runtime.config.full_access
    )


async def _revert(invocation: Invocation, step: Step, real: Path, *, forced: bool) -> Reply | None:
    """Revert a step; return None after dropping one that was stored but never written."""
    session, undo = invocation.session, invocation.runtime.undo
    shown = display(step.path, session.user)
    current = await STORAGE.run(read_if_there, real, shown)
    if current == step.before and not step.written:
        await undo.drop(session)
        return None
    if not forced and (current is None or digest(current) != step.after):
        raise _changed(shown)
    if current != step.before:
        await STORAGE.run(_restore, replace(step, path=real), shown, current)
    await undo.drop(session)
    record_seen(session, real, step.before)
    return _reply(step, shown, current or "")


def _changed(shown: str) -> Refusal:
    message = f"{shown} has changed since this topic edited it"
    force = f"/undo {FORCE} brings the text before the edit back, and what changed since is lost."
    skip = f"/undo {_SKIP} leaves the file as it is and forgets the edit."
    return Refusal(ErrorCode.CONFLICT, message, "Nothing was undone.", force, skip)


def _restore(step: Step, shown: str, current: str | None) -> None:
    if step.before is None:
        remove_text(step.path, shown)
        remove_directories(step.path, step.directories)
    else:
        write_text(step.path, step.before, shown, replacing=current)


def _reply(step: Step, shown: str, current: str) -> Reply:
    before = step.before or ""
    difference = Edit(path=shown, before=current, after=before, summary="Reverted last change")
    if step.before is None:
        return Reply.confirmation(f"Undo: removed {shown}", edit=difference)
    lines = counted(line_count(before), "line")
    return Reply.confirmation(f"Undo: reverted {shown} ({lines})", edit=difference)


UNDO = Command(
    name="undo",
    summary="Take back this topic's last edit.",
    group="Editing",
    usage="/undo [--force | --skip]",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
)
