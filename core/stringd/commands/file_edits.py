"""Change files on behalf of an editing command: locked, checked for conflicts, and undoable."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from stringd.api.commands import Invocation
from stringd.api.replies import Edit, Reply
from stringd.api.sessions import Session
from stringd.api.undo import Step
from stringd.commands.edit_arguments import FORCE, EditRequest, IncludeFound
from stringd.documents.editing.after_answers import finish_left, leave
from stringd.documents.editing.block_index import note_edit, note_reparsed
from stringd.documents.editing.edits import Revision, combined
from stringd.documents.editing.file_locks import finish
from stringd.documents.editing.replaced_files import (
    FileChange,
    missing_directories,
    remove_directories,
    replaced_files,
)
from stringd.documents.editing.seen_files import is_stale, keep_digest, record_digest, record_seen
from stringd.documents.pages.file_pages import SMALL
from stringd.documents.paths.text_charsets import known_charset
from stringd.errors import ErrorCode, Refusal, StorageFailed
from stringd.text.digests import digest_of_data
from stringd.workers.threads import EDITING, READING

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


class _Written(NamedTuple):
    """The size in bytes and the digest of a text that was written."""

    size: int
    digest: str


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
        await _mark(invocation)
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
) -> tuple[Sequence[_RevisedFile], Mapping[Path, _Written]]:
    """Make the edits of files, in a thread, from reading them to replacing those that are changed."""
    finish_left()
    revised = [_revised(invocation.session, edits) for edits in files]
    return revised, _write(invocation, [it for it in revised if it.is_changed], loop)


def _changed(file: _RevisedFile, written: _Written | None) -> Sequence[Changed]:
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


def _write(
    invocation: Invocation, files: Sequence[_RevisedFile], loop: asyncio.AbstractEventLoop
) -> Mapping[Path, _Written]:
    """Write texts to disk while the step is stored, and replace the files once both are done.

    So a crash in between leaves nothing that can't be undone.
    """
    if not files:
        return {}
    changes = [it.change for it in files]
    digests: list[Future[str]] = []
    storing: Future[None] | None = None

    def store(data: bytes) -> None:
        nonlocal storing
        digests.append(_digest(data))
        if len(digests) == len(files):
            storing = asyncio.run_coroutine_threadsafe(_store(invocation, files, changes, digests), loop)

    try:
        with replaced_files(changes, store) as sizes:
            if storing:
                storing.result()
    except BaseException:
        for change in changes:
            remove_directories(change.path, change.directories)
        if storing:
            asyncio.run_coroutine_threadsafe(_drop(invocation, storing), loop).result()
        raise
    written = map(_Written, sizes, (it.result() for it in digests))
    return dict(zip((it.path for it in changes), written, strict=True))


def _digest(data: bytes) -> Future[str]:
    """Return the digest of a text, for which a long one is handed to another thread."""
    if len(data) > SMALL:
        return READING.begin(digest_of_data, data)
    digest = Future[str]()
    digest.set_result(digest_of_data(data))
    return digest


async def _store(
    invocation: Invocation,
    files: Sequence[_RevisedFile],
    changes: Sequence[FileChange],
    digests: Sequence[Future[str]],
) -> None:
    known = await asyncio.gather(*map(asyncio.wrap_future, digests))
    steps = [_step(*it) for it in zip(files, changes, known, strict=True)]
    await invocation.runtime.undo.add(invocation.session, *steps)


async def _drop(invocation: Invocation, storing: Future[None]) -> None:
    """Remove a step that was stored for an edit that has failed."""
    with suppress(StorageFailed):
        await asyncio.wrap_future(storing)
        await invocation.runtime.undo.drop(invocation.session)


async def _mark(invocation: Invocation) -> None:
    """Mark the step as written; it can still be undone if that fails, and the edit has succeeded."""
    with suppress(StorageFailed):
        await invocation.runtime.undo.mark(invocation.session)


def _step(file: _RevisedFile, change: FileChange, digest: str) -> Step:
    directories, charset = change.directories, file.charset
    return Step(path=change.path, before=file.before, after=digest, directories=directories, charset=charset)


def _removed(request: EditRequest) -> Refusal:
    message = f"{request.file} has been removed since this topic saw it"
    return Refusal(ErrorCode.CONFLICT, message, f"{FORCE} creates it anew.")


def _stale(request: EditRequest) -> Refusal:
    message = f"{request.file} has changed since this topic saw it"
    viewed = request.shown if request.included else request.file
    return Refusal(
        ErrorCode.CONFLICT, message, f"View it again: /edit {viewed}", f"{FORCE} edits it as it is now."
    )
