"""Change a file on behalf of an editing command: locked, checked for conflicts, and undoable."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stringd.api.commands import Invocation
from stringd.api.replies import Edit, Reply
from stringd.api.undo import Step
from stringd.commands.edit_arguments import FORCE, EditRequest
from stringd.documents.editing.block_index import note_edit
from stringd.documents.editing.edits import Revision
from stringd.documents.editing.file_locks import finish
from stringd.documents.editing.seen_files import digest, is_stale, record_seen
from stringd.documents.pages.file_pages import done
from stringd.documents.paths.text_files import missing_directories, remove_directories, replaced_text
from stringd.documents.syntax.parsing_cost import is_parsed_at_once
from stringd.errors import ErrorCode, Refusal, StorageFailed
from stringd.workers.threads import STORAGE

Change = Callable[[str], Revision]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A file's text before and after an edit, the number of new lines, and the file's size in bytes."""

    before: str | None
    after: str
    lines: int
    size: int

    def reply(self, system: str, shown: str) -> Reply:
        """Return the confirmation, with the difference for clients that show it."""
        return Reply.confirmation(system, edit=Edit(path=shown, before=self.before or "", after=self.after))


async def edit(
    invocation: Invocation, request: EditRequest, change: Change, *, creates: bool = False
) -> Changed:
    """Apply a change to a file as one undoable step; refuse a missing file unless it may be created."""
    async with invocation.runtime.editing(request.target.path):
        return await finish(_edit(invocation, request, change, creates=creates))


async def _edit(invocation: Invocation, request: EditRequest, change: Change, *, creates: bool) -> Changed:
    path, session = request.target.path, invocation.session
    before = await STORAGE.run(request.read_if_there if creates else request.read)
    if FORCE not in request.options and is_stale(session, path, before):
        raise _removed(request) if before is None else _stale(request)
    is_quick = is_parsed_at_once(before or "", invocation.line.body or "")
    revision = await done(lambda: change(before or ""), here=is_quick)
    after = revision.text
    if after == before:
        size = len(after.encode())
    else:
        size = await _write(invocation, request, before, after)
    record_seen(session, path, after)
    note_edit(before or "", after)
    return Changed(before=before, after=after, lines=revision.lines, size=size)


async def _write(invocation: Invocation, request: EditRequest, before: str | None, after: str) -> int:
    """Write a text to disk while the step is stored, and replace the file once both are done.

    So a crash in between leaves nothing that can't be undone.
    """
    undo, session, path = invocation.runtime.undo, invocation.session, request.target.path
    directories = missing_directories(path) if before is None else 0
    storing = asyncio.create_task(_store(invocation, path, before, after, directories))
    try:
        async with STORAGE.within(replaced_text(path, after, request.file, replacing=before)) as size:
            await storing
    except BaseException:
        remove_directories(path, directories)
        with suppress(StorageFailed):
            await storing
            await undo.drop(session)
        raise
    # The file is written, so the edit has succeeded; an unmarked step can still be undone.
    with suppress(StorageFailed):
        await undo.mark(session)
    return size


async def _store(
    invocation: Invocation, path: Path, before: str | None, after: str, directories: int
) -> None:
    step = Step(path=path, before=before, after=digest(after), directories=directories)
    await invocation.runtime.undo.add(invocation.session, step)


def _removed(request: EditRequest) -> Refusal:
    message = f"{request.file} has been removed since this topic saw it"
    return Refusal(ErrorCode.CONFLICT, message, f"{FORCE} creates it anew.")


def _stale(request: EditRequest) -> Refusal:
    message = f"{request.file} has changed since this topic saw it"
    viewed = request.shown if request.included else request.file
    return Refusal(
        ErrorCode.CONFLICT, message, f"View it again: /edit {viewed}", f"{FORCE} edits it as it is now."
    )
