"""`/undo`: revert the topic's last edit."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from msgspec.structs import replace

from stringd.api.commands import Command, Invocation, TopicGroup
from stringd.api.replies import Edit, Reply
from stringd.api.undo import Step
from stringd.commands.edit_arguments import FORCE
from stringd.commands.large_edits import undo_large
from stringd.documents.editing.file_locks import finish
from stringd.documents.editing.replaced_files import FileChange, replace_files
from stringd.documents.editing.seen_files import digest, record_seen
from stringd.documents.paths.text_charsets import remember_charset
from stringd.documents.paths.text_files import read_if_there
from stringd.errors import ErrorCode, Refusal
from stringd.files.typed_paths import confine, display
from stringd.text.formatting import counted, line_count
from stringd.text.path_arguments import parse_path_arguments
from stringd.workers.threads import EDITING, STORAGE

_SKIP = "--skip"


async def run(invocation: Invocation) -> Reply:
    """Revert the last edit, or skip it."""
    arguments = parse_path_arguments(invocation.line.arguments, FORCE, _SKIP)
    if arguments.path:
        raise Refusal(
            ErrorCode.INVALID_PAYLOAD, f"/undo takes no path: {arguments.path}", f"Usage: {UNDO.usage}"
        )
    while steps := await invocation.runtime.undo.last(invocation.session):
        if _SKIP in arguments.options:
            await invocation.runtime.undo.drop(invocation.session)
            shown = (display(it.path, invocation.session.user) for it in reversed(steps))
            return Reply.confirmation(f"Undo: skipped {', '.join(shown)}")
        steps = [_at_real_path(invocation, it) for it in steps]
        async with AsyncExitStack() as locks:
            for path in sorted(str(it.path) for it in steps):
                await locks.enter_async_context(invocation.runtime.editing(Path(path)))
            reply = await finish(_revert(invocation, steps, forced=FORCE in arguments.options))
        if reply:
            return reply
    raise Refusal(ErrorCode.NOT_FOUND, "Nothing to undo.")


def _at_real_path(invocation: Invocation, step: Step) -> Step:
    """Return a step with the path that its own leads to by now, or refuse."""
    user = invocation.session.user
    shown = display(step.path, user)
    return replace(
        step, path=confine(step.path, shown, user, full_access=invocation.runtime.config.full_access)
    )


async def _revert(invocation: Invocation, steps: Sequence[Step], *, forced: bool) -> Reply | None:
    """Revert the steps of an edit; return None after dropping one that was stored but never written."""
    session, undo = invocation.session, invocation.runtime.undo
    if steps[0].place:
        return await undo_large(invocation, steps[0], display(steps[0].path, session.user), forced=forced)
    changes = [await STORAGE.run(_reversal, it, display(it.path, session.user)) for it in steps]
    pairs = [
        (step, it) for step, it in zip(steps, changes, strict=True) if step.written or it.before != it.after
    ]
    if not pairs:
        await undo.drop(session)
        return None
    for step, change in pairs:
        if not forced and (change.before is None or digest(change.before) != step.after):
            raise _changed(change.shown)
    await EDITING.run(replace_files, [it for _, it in pairs if it.before != it.after])
    await undo.drop(session)
    for _, change in pairs:
        record_seen(session, change.path, change.after)
    return _reply([it for _, it in reversed(pairs)])


def _reversal(step: Step, shown: str) -> FileChange:
    """Return the change of a file, as it is now, that takes a step back."""
    # The charset of what is there now may not be told from its bytes.
    remember_charset(str(step.path), step.charset)
    return FileChange(
        path=step.path,
        shown=shown,
        before=read_if_there(step.path, shown),
        after=step.before,
        charset=step.charset,
        directories=step.directories,
    )


def _changed(shown: str) -> Refusal:
    message = f"{shown} has changed since this topic edited it"
    force = f"/undo {FORCE} brings the text before the edit back, and what changed since is lost."
    skip = f"/undo {_SKIP} leaves the file as it is and forgets the edit."
    return Refusal(ErrorCode.CONFLICT, message, "Nothing was undone.", force, skip)


def _reply(changes: Sequence[FileChange]) -> Reply:
    if len(changes) > 1:
        lines = "\n".join(_confirmation(it) for it in changes)
        return Reply.page(f"Undo: reverted {len(changes)} files", lines)
    change = changes[0]
    difference = Edit(
        path=change.shown,
        before=change.before or "",
        after=change.after or "",
        summary="Reverted last change",
    )
    return Reply.confirmation(f"Undo: {_confirmation(change)}", edit=difference)


def _confirmation(change: FileChange) -> str:
    if change.after is None:
        return f"removed {change.shown}"
    return f"reverted {change.shown} ({counted(line_count(change.after), 'line')})"


UNDO = Command(
    name="undo",
    summary="Take back this topic's last edit.",
    group="Editing",
    usage="/undo [--force | --skip]",
    run=run,
    topic_types=TopicGroup.DOCUMENTS,
)
