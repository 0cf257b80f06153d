"""Change files on behalf of an editing command: locked, checked for conflicts, and undoable."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path

from msgspec import Struct

from stringd.api.commands import Invocation
from stringd.api.replies import Edit, Reply
from stringd.api.sessions import Session
from stringd.commands.edit_arguments import FORCE, EditRequest, IncludeFound
from stringd.commands.undoable_writes import Written, mark_written, write_texts
from stringd.documents.editing.after_answers import finish_left, leave
from stringd.documents.editing.block_index import note_edit, note_reparsed
from stringd.documents.editing.edits import Revision, combined
from stringd.documents.editing.file_locks import finish
from stringd.documents.editing.replaced_files import (
    FileChange,
    missing_directories,
)
from stringd.documents.editing.seen_files import is_stale, keep_digest, record_digest, record_seen
from stringd.documents.paths.text_charsets import known_charset
from stringd.errors import ErrorCode, Refusal
from stringd.workers.threads import EDITING

Change = Callable[[str], Revision]


class Changed(Struct, frozen=True, kw_only=True):
    """A file's text before and after an edit, the number of new lines, and the file's size in bytes."""

    before: str | None
    after: str
    lines: int
    size: int

    def reply(self, system: str, shown: str) -> Reply:
        """Return the confirmation, with the difference for clients that show it."""
        return Reply.confirmation(system, edit=Edit(path=shown, before=self.before or "", after=self.after))


class PlannedEdit(Struct, frozen=True, kw_only=True):
    """What a command is to change, and its confirmation of what has changed.

    A missing file is created if the edit `creates` files. `where` says in refusals which of several it is.
    """

    request: EditRequest
    change: Change
    confirm: Callable[[Changed], str]
    creates: bool = False
    where: tuple[str, ...] = ()

    def revision(self, before: str) -> Revision:
        """Return the change of a text; a refusal says `where` it is."""
        with self.located():
            return self.change(before)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Add where the edit is to refusals."""
        try:
            yield
        except Refusal as refusal:
            if not self.where:
                raise
            raise Refusal(refusal.code, refusal.message, *refusal.context, *self.where) from None


Plan = Callable[[Invocation], Awaitable[PlannedEdit]]


class _RevisedFile(Struct, frozen=True, kw_only=True):
    """A file before and after all of its edits, and what each of them changes."""

    request: EditRequest
    before: str | None
    after: str
    charset: str
    revisions: Sequence[Revision]

    @property
    def is_changed(self) -> bool:
        return self.after != self.before

    def note(self, digest: str) -> None:
        """Record what the next edits need to know about the text."""
        keep_digest(self.after, digest)
        reparsed = self.revisions[0].reparsed if len(self.revisions) == 1 else None
        if reparsed:
            note_reparsed(reparsed)
        else:
            note_edit(self.before or "", self.after)

    @property
    def change(self) -> FileChange:
        path, shown = self.request.target.path, self.request.file
        directories = missing_directories(path) if self.before is None else 0
        return FileChange(
            path=path, shown=shown, before=self.before, after=self.after, directories=directories
        )


async def edit(invocation: Invocation, planned: PlannedEdit, plan: Plan | None = None) -> Reply:
    """Make one edit as an undoable step, and confirm it; refuse a missing file unless it may be created.

    If what it assumes of a block turns out wrong, it is planned again by `plan`.
    """
    try:
        return await _edit(invocation, planned)
    except IncludeFound:
        if plan is None:
            raise
        return await _edit(invocation, await plan(invocation))


async def _edit(invocation: Invocation, planned: PlannedEdit) -> Reply:
    async with invocation.runtime.editing(planned.request.target.path):
        ((changed,),) = await finish(_edit_files(invocation, [[planned]]))
    return changed.reply(planned.confirm(changed), planned.request.shown)


async def edit_together(invocation: Invocation, planned: Sequence[PlannedEdit]) -> Sequence[str]:
    """Make all edits or none, as one undoable step, and return their confirmations.

    Each is made to the files as they are before the command.
    """
    by_path: dict[str, list[PlannedEdit]] = {}
    for it in planned:
        by_path.setdefault(str(it.request.target.path), []).append(it)
    files = [by_path[path] for path in sorted(by_path)]
    async with AsyncExitStack() as locks:
        # In the same order by all topics, so that none waits for another that waits for it.
        for edits in files:
            await locks.enter_async_context(invocation.runtime.editing(edits[0].request.target.path))
        changed = await finish(_edit_files(invocation, files))
    results = {
        id(it): result
        for edits, ours in zip(files, changed, strict=True)
        for it, result in zip(edits, ours, strict=True)
    }
    return [it.confirm(results[id(it)]) for it in planned]


async def _edit_files(
    invocation: Invocation, files: Sequence[Sequence[PlannedEdit]]
) -> Sequence[Sequence[Changed]]:
    revised, written = await EDITING.run(_edited, invocation, files, asyncio.get_running_loop())
    if written:
        await mark_written(invocation)
    for file in revised:
        path = file.request.target.path
        new = written.get(path)
        if new:
            record_digest(invocation.session, path, new.digest)
            leave(partial(file.note, new.digest))
        else:
            record_seen(invocation.session, path, file.after)
    return [_changed(it, written.get(it.request.target.path)) for it in revised]


def _edited(
    invocation: Invocation, files: Sequence[Sequence[PlannedEdit]], loop: asyncio.AbstractEventLoop
) -> tuple[Sequence[_RevisedFile], Mapping[Path, Written]]:
    """Make the edits of files, in a thread, from reading them to replacing those that are changed."""
    finish_left()
    revised = [_revised(invocation.session, edits) for edits in files]
    changed = [it for it in revised if it.is_changed]
    changes, charsets = [it.change for it in changed], [it.charset for it in changed]
    return revised, write_texts(invocation, changes, charsets, loop) if changes else {}


def _changed(file: _RevisedFile, written: Written | None) -> Sequence[Changed]:
    size = written.size if written else len(file.after.encode(file.charset))
    return [Changed(before=file.before, after=file.after, lines=it.lines, size=size) for it in file.revisions]


def _revised(session: Session, edits: Sequence[PlannedEdit]) -> _RevisedFile:
    request = edits[0].request
    path = request.target.path
    creates = all(it.creates for it in edits)
    forced = all(FORCE in it.request.options for it in edits)
    with edits[0].located():
        before = request.read_if_there() if creates else request.read()
        text = before or ""
        request.check_assumed(text)
        if not forced and is_stale(session, path, before):
            raise _removed(request) if before is None else _stale(request)
    revisions = [it.revision(text) for it in edits]
    return _RevisedFile(
        request=request,
        before=before,
        after=combined(text, revisions, request.file),
        charset=known_charset(str(path)),
        revisions=revisions,
    )


def _removed(request: EditRequest) -> Refusal:
    message = f"{request.file} has been removed since this topic saw it"
    return Refusal(ErrorCode.CONFLICT, message, f"{FORCE} creates it anew.")


def _stale(request: EditRequest) -> Refusal:
    message = f"{request.file} has changed since this topic saw it"
    viewed = request.shown if request.included else request.file
    return Refusal(
        ErrorCode.CONFLICT, message, f"View it again: /edit {viewed}", f"{FORCE} edits it as it is now."
    )
