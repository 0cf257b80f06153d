"""How every editing command goes about a file: alone, losing nothing, with a step to take back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from stringd.api.commands import Command, Invocation
from stringd.api.replies import Edit, Reply
from stringd.api.undo import Step
from stringd.documents.editing.block_index import note_edit
from stringd.documents.editing.edits import Revision
from stringd.documents.editing.file_locks import finish
from stringd.documents.editing.seen_files import digest, is_stale, record_seen
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.pages.file_pages import done
from stringd.documents.pages.includes import include_at, source_of
from stringd.documents.pages.page import unknown_block
from stringd.documents.paths.resolving import FileTarget, display, resolve
from stringd.documents.paths.text_files import (
    missing_directories,
    read_if_there,
    read_text,
    remove_directories,
    write_text,
)
from stringd.documents.paths.typed_targets import means_uri
from stringd.documents.syntax.parser import Directive
from stringd.documents.syntax.parsing_cost import AT_ONCE, effort
from stringd.documents.syntax.verbatim import is_verbatim
from stringd.errors import Refusal, StorageFailed
from stringd.text.path_arguments import parse_path_arguments
from stringd.workers.threads import READING, STORAGE

FORCE = "--force"
Change = Callable[[str], Revision]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What an editing command was asked: where the text is stored, how replies name it, and the options.

    `included` says that a block was named which is an include of that whole file.
    """

    target: FileTarget
    file: str
    shown: str
    options: frozenset[str]
    included: bool = False

    @property
    def means_part(self) -> bool:
        """Whether a block or lines were named, and no whole file."""
        return bool(self.target.block or self.target.lines or self.included)

    def whole_file(self, command: Command) -> None:
        """Refuse a block or lines where the command takes a file."""
        if self.means_part:
            message = f"/{command.name} takes a whole file, not {self.shown}"
            raise Refusal("INVALID_TARGET", message, f"Usage: {command.usage}")

    def read(self) -> str:
        """Return the file's text, or refuse."""
        try:
            return read_text(self.target.path, self.file)
        except Refusal as refusal:
            if self.included and refusal.code == "NOT_FOUND":
                raise Refusal(refusal.code, refusal.message, f"/write {self.shown} creates it.") from None
            raise

    def read_if_there(self) -> str | None:
        """Return the file's text; None where there is no file."""
        return read_if_there(self.target.path, self.file)


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


async def read_request(invocation: Invocation, command: Command, *options: str) -> Request:
    """Read the path and the options of an editing command; a block that is an include leads to its file."""
    arguments = parse_path_arguments(invocation.line.arguments, *options)
    if not arguments.path:
        raise Refusal("INVALID_TARGET", "No file is named.", f"Usage: {command.usage}")
    if means_uri(arguments.path, invocation):
        raise Refusal("INVALID_TARGET", f"Not a file: {arguments.path}", "Only files can be edited.")
    full_access = invocation.runtime.config.full_access
    target = resolve(arguments.path, invocation.session, full_access=full_access)
    part = _part(target)
    name = target.typed.removesuffix(part) or display(target.path, invocation.session.user)
    request = Request(target=target, file=name, shown=name + part, options=arguments.options)
    return await READING.run(_stored, request, DocumentNavigator(invocation)) if target.block else request


def _stored(request: Request, navigator: DocumentNavigator) -> Request:
    """Return the request for the file in which the block is stored."""
    passed: set[Path] = set()
    while block := request.target.block:
        target = request.target
        include = _include(request, block)
        if include is None:
            break
        passed.add(target.path)
        found = navigator.meant(source_of(include, target.path), target.path)
        if found.path in passed:
            raise Refusal("INVALID_TARGET", f"{request.shown} includes itself: {request.file}")
        stored = replace(target, path=found.path, block=found.block)
        request = replace(
            request, target=stored, file=navigator.shown(found.path), included=found.block is None
        )
    return request


def _include(request: Request, block: str) -> Directive | None:
    text = request.read()
    if is_verbatim(request.target.path):
        raise unknown_block(block, {})
    return include_at(text, block)


def read_body(invocation: Invocation, command: Command) -> str:
    """Return the lines below the command, or refuse it."""
    body = invocation.line.body
    if not body:
        raise Refusal("INVALID_PAYLOAD", f"/{command.name} needs a body.", f"Usage: {command.usage}")
    return body


async def view(invocation: Invocation, request: Request) -> str:
    """Return a file's text; the topic has seen it then."""
    text = await STORAGE.run(request.read)
    record_seen(invocation.session, request.target.path, text)
    return text


async def edit(invocation: Invocation, request: Request, change: Change, *, creates: bool = False) -> Changed:
    """Change a file in one step that can be taken back; one that isn't there is empty, or refused."""
    async with invocation.runtime.editing(request.target.path):
        return await finish(_edit(invocation, request, change, creates=creates))


async def _edit(invocation: Invocation, request: Request, change: Change, *, creates: bool) -> Changed:
    path, session = request.target.path, invocation.session
    before = await STORAGE.run(request.read_if_there if creates else request.read)
    if FORCE not in request.options and is_stale(session, path, before):
        raise _removed(request) if before is None else _stale(request)
    is_quick = effort(before or "") + effort(invocation.line.body or "") <= AT_ONCE
    revision = await done(lambda: change(before or ""), here=is_quick)
    after = revision.text
    if after == before:
        size = len(after.encode())
    else:
        directories = missing_directories(path) if before is None else 0
        step = Step(path=path, before=before, after=digest(after), directories=directories)
        size = await _write(invocation, request, step, after)
    record_seen(session, path, after)
    note_edit(before or "", after)
    return Changed(before=before, after=after, lines=revision.lines, size=size)


async def _write(invocation: Invocation, request: Request, step: Step, text: str) -> int:
    # The step first: what is written can be taken back, whatever happens in between.
    undo, session = invocation.runtime.undo, invocation.session
    await undo.add(session, step)
    try:
        size = await STORAGE.run(write_text, step.path, text, request.file, replacing=step.before)
    except BaseException:
        remove_directories(step.path, step.directories)
        await undo.drop(session)
        raise
    # An edit that is written is no failure: without its mark, it can be taken back all the same.
    with suppress(StorageFailed):
        await undo.mark(session)
    return size


def _part(target: FileTarget) -> str:
    """Return the end of what was typed that names a block or lines."""
    if target.block:
        return f"#{target.block}"
    return target.typed[target.typed.rindex(":L") :] if target.lines else ""


def _removed(request: Request) -> Refusal:
    message = f"{request.file} has been removed since this topic saw it"
    return Refusal("CONFLICT", message, f"{FORCE} creates it anew.")


def _stale(request: Request) -> Refusal:
    message = f"{request.file} has changed since this topic saw it"
    viewed = request.shown if request.included else request.file
    return Refusal("CONFLICT", message, f"View it again: /edit {viewed}", f"{FORCE} edits it as it is now.")
