"""Show and replace lines or a block of a file that is too large to be read as a whole."""

from __future__ import annotations

from pathlib import Path

from stringd.api.commands import Invocation
from stringd.api.replies import Edit, Reply
from stringd.api.undo import Step
from stringd.commands.edit_arguments import FORCE, EditRequest
from stringd.commands.undoable_writes import mark_written
from stringd.documents.editing.file_locks import finish
from stringd.documents.editing.large_files import (
    LargePart,
    count_lines,
    file_digest,
    find_block,
    find_lines,
    is_large,
    large_charset,
    large_state,
    read_part,
)
from stringd.documents.editing.seen_files import is_stale, record_seen
from stringd.documents.paths.text_charsets import encoded
from stringd.documents.paths.text_files import read_if_there, replaced_span, write_span
from stringd.errors import ErrorCode, Refusal
from stringd.text.formatting import counted
from stringd.workers.threads import READING, STORAGE

# One character for each byte, as steps of `/undo` keep them.
_BYTES = "latin-1"


def addresses_large_part(request: EditRequest) -> bool:
    """Whether lines or a block of a large file are addressed."""
    target = request.target
    return bool(target.lines or target.block) and is_large(target.path)


async def large_lines(invocation: Invocation, request: EditRequest) -> dict[int, str]:
    """Return the addressed lines of a large file, by their numbers."""
    record_seen(invocation.session, request.target.path, large_state(request.target.path))
    return await READING.run(_lines, request)


async def edit_large(invocation: Invocation, request: EditRequest, body: str | None, verb: str) -> Reply:
    """Replace the addressed part of a large file by a body, or delete it, as an undoable step."""
    async with invocation.runtime.editing(request.target.path):
        after, before = await finish(_edit(invocation, request, body))
    lines = counted(after.count("\n") + (not after.endswith("\n")) if after else 0, "line")
    change = Edit(path=request.shown, before=before, after=after)
    return Reply.confirmation(f"{verb} {request.shown} ({lines})", edit=change)


async def _edit(invocation: Invocation, request: EditRequest, body: str | None) -> tuple[str, str]:
    path, session, undo = request.target.path, invocation.session, invocation.runtime.undo
    state = large_state(path)
    if FORCE not in request.options and is_stale(session, path, state):
        message = f"{request.file} has changed since this topic saw it"
        view = f"View it again: /edit {request.shown}"
        raise Refusal(ErrorCode.CONFLICT, message, view, f"{FORCE} edits it as it is now.")
    part, charset = (
        await STORAGE.run(_part, request, body),
        await STORAGE.run(large_charset, path, request.file),
    )
    old = await STORAGE.run(read_part, path, request.shown, part)
    new = _new_bytes(old, body, charset, request.file)
    async with STORAGE.within(replaced_span(path, request.file, (part.start, part.end), new)) as written:
        if large_state(path) != state:
            raise Refusal(ErrorCode.CONFLICT, f"{request.file} was changed by another process meanwhile")
        place = part.start, part.start + len(new)
        step = Step(
            path=path,
            before=old.decode(_BYTES),
            after=written,
            charset=charset,
            place=place,
        )
        await undo.add(session, step)
    await mark_written(invocation)
    await _record_seen(invocation, path, request.file)
    return new.decode(charset, "replace"), old.decode(charset, "replace")


async def undo_large(invocation: Invocation, step: Step, shown: str, *, forced: bool) -> Reply | None:
    """Take a step of a large file back; return None after dropping one that was never written."""
    undo, session = invocation.runtime.undo, invocation.session
    is_after = await STORAGE.run(file_digest, step.path, shown) == step.after
    if not is_after and not step.written:
        await undo.drop(session)
        return None
    if not is_after:
        message = f"{shown} has changed since this topic edited it"
        why = "--force can't restore lines of a large file." if forced else "Nothing was undone."
        raise Refusal(ErrorCode.CONFLICT, message, why, "/undo --skip leaves the file as it is.")
    old = (step.before or "").encode(_BYTES)
    await STORAGE.run(write_span, step.path, shown, step.place or (0, 0), old)
    await undo.drop(session)
    await _record_seen(invocation, step.path, shown)
    lines = await STORAGE.run(count_lines, step.path, shown)
    return Reply.confirmation(f"Undo: reverted {shown} ({counted(lines, 'line')})")


async def _record_seen(invocation: Invocation, path: Path, shown: str) -> None:
    """Record that the topic has seen a file, which may be no large one any more."""
    text = large_state(path) if is_large(path) else await STORAGE.run(read_if_there, path, shown)
    record_seen(invocation.session, path, text)


def _part(request: EditRequest, body: str | None) -> LargePart:
    path, lines, block = request.target.path, request.target.lines, request.target.block
    if lines:
        return find_lines(path, request.shown, *lines)
    with_heading = body is None or body.startswith("#")
    return find_block(path, request.shown, block or "", with_heading=with_heading)


def _lines(request: EditRequest) -> dict[int, str]:
    part = _part(request, None)
    charset = large_charset(request.target.path, request.file)
    text = read_part(request.target.path, request.shown, part).decode(charset, "replace")
    return dict(enumerate(text.removesuffix("\n").removesuffix("\r").split("\n"), part.first))


def _new_bytes(old: bytes, body: str | None, charset: str, shown: str) -> bytes:
    """Return the bytes of a body with the line ends of what it replaces."""
    if body is None:
        return b""
    is_open = bool(old) and not old.endswith(b"\n")
    text = body.replace("\r\n", "\n") + ("" if is_open else "\n")
    return encoded(text.replace("\n", "\r\n") if b"\r\n" in old else text, charset, shown)
