"""How every editing command goes about a file: alone, losing nothing, with a step to take back."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stringd.contracts.commands import Command, Invocation
from stringd.contracts.edits import Step
from stringd.contracts.replies import Edit, Reply
from stringd.documents.edits import Revision
from stringd.documents.files import missing_directories, read_text, remove_directories, write_text
from stringd.documents.landmarks import note_edit
from stringd.documents.locks import finish
from stringd.documents.paths import Target, display, resolve
from stringd.documents.seen import digest, is_stale, saw
from stringd.errors import Refusal
from stringd.text.path_arguments import parse_path_arguments

FORCE = "--force"
Change = Callable[[str], Revision]
_URL = re.compile(r"(?!file:///)[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What an editing command was asked: the file, how replies name it, and the options."""

    target: Target
    file: str
    shown: str
    options: frozenset[str]

    def whole_file(self, command: Command) -> None:
        """Refuse a block or lines where the command takes a file."""
        if self.target.block or self.target.lines:
            message = f"/{command.name} takes a whole file, not {self.shown}"
            raise Refusal("INVALID_TARGET", message, f"Usage: {command.usage}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A file's text before and after an edit, how many lines are new, and the size of all in bytes."""

    before: str | None
    after: str
    lines: int
    size: int

    def reply(self, system: str, shown: str) -> Reply:
        """Confirm the edit, for those who show the difference too."""
        return Reply.confirmation(system, edit=Edit(path=shown, before=self.before or "", after=self.after))


def read_request(invocation: Invocation, *options: str) -> Request:
    """Read the path and the options of an editing command."""
    arguments = parse_path_arguments(invocation.line.arguments, *options)
    if _URL.match(arguments.path):
        raise Refusal("INVALID_TARGET", f"Not a file: {arguments.path}", "Only files can be edited.")
    full_access = invocation.daemon.config.full_access
    target = resolve(arguments.path, invocation.session, full_access=full_access)
    part = _part(target)
    name = target.typed.removesuffix(part) or display(target.path, invocation.session.user)
    return Request(target=target, file=name, shown=name + part, options=arguments.options)


def read_body(invocation: Invocation, command: Command) -> str:
    """Return the lines below the command, or refuse it."""
    body = invocation.line.body
    if not body:
        raise Refusal("INVALID_PAYLOAD", f"/{command.name} needs a body.", f"Usage: {command.usage}")
    return body


async def view(invocation: Invocation, request: Request) -> str:
    """Return a file's text; the topic has seen it then."""
    text = await asyncio.to_thread(read_text, request.target.path, request.file)
    saw(invocation.session, request.target.path, text)
    return text


async def edit(invocation: Invocation, request: Request, change: Change, *, creates: bool = False) -> Changed:
    """Change a file in one step that can be taken back; one that isn't there is empty, or refused."""
    async with invocation.daemon.editing(request.target.path):
        return await finish(_edit(invocation, request, change, creates=creates))


def read_if_there(path: Path, shown: str) -> str | None:
    """Return a file's text, or None where there is no file."""
    try:
        return read_text(path, shown)
    except Refusal as refusal:
        if refusal.code == "NOT_FOUND":
            return None
        raise


async def _edit(invocation: Invocation, request: Request, change: Change, *, creates: bool) -> Changed:
    path, session = request.target.path, invocation.session
    read = read_if_there if creates else read_text
    before = await asyncio.to_thread(read, path, request.file)
    if FORCE not in request.options and is_stale(session, path, before):
        raise _stale(request)
    revision = await asyncio.to_thread(change, before or "")
    after = revision.text
    if after == before:
        size = len(after.encode())
    else:
        directories = missing_directories(path) if before is None else 0
        step = Step(path=path, before=before, after=digest(after), directories=directories)
        size = await _write(invocation, request, step, after)
    saw(session, path, after)
    note_edit(before or "", after)
    return Changed(before=before, after=after, lines=revision.lines, size=size)


async def _write(invocation: Invocation, request: Request, step: Step, text: str) -> int:
    # The step first: what is written can be taken back, whatever happens in between.
    undo, session = invocation.daemon.undo, invocation.session
    await undo.add(session, step)
    try:
        return await asyncio.to_thread(write_text, step.path, text, request.file)
    except BaseException:
        remove_directories(step.path, step.directories)
        await undo.drop(session)
        raise


def _part(target: Target) -> str:
    """Return the end of what was typed that names a block or lines."""
    if target.block:
        return f"#{target.block}"
    return target.typed[target.typed.rindex(":L") :] if target.lines else ""


def _stale(request: Request) -> Refusal:
    message = f"{request.file} has changed since this topic saw it"
    return Refusal(
        "CONFLICT", message, f"View it again: /edit {request.file}", f"{FORCE} edits it as it is now."
    )
