"""The arguments of the editing commands: which file or part of it is addressed, and the options."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from stringd.api.commands import Command, Invocation
from stringd.documents.editing.large_files import is_large
from stringd.documents.editing.seen_files import record_seen
from stringd.documents.editing.spans import include_making, is_no_include
from stringd.documents.navigator import DocumentNavigator
from stringd.documents.pages.includes import source_of
from stringd.documents.pages.page import unknown_block
from stringd.documents.paths.latest_texts import latest_text
from stringd.documents.paths.resolving import resolve
from stringd.documents.paths.text_files import read_if_there, read_text
from stringd.documents.syntax.parser import Directive
from stringd.documents.syntax.structured import is_verbatim
from stringd.documents.targets import is_typed_uri
from stringd.errors import ErrorCode, Refusal
from stringd.files.typed_paths import FileTarget, display
from stringd.text.path_arguments import parse_path_arguments
from stringd.workers.threads import READING, STORAGE

FORCE = "--force"


class EditRequest(Struct, frozen=True, kw_only=True):
    """The parsed arguments of an editing command: the stored text, its name in replies, and the options.

    `included` is true if the named block is an include of the whole target file. `is_assumed` is true if the
    block was no include when the file was last read, which has to be checked again.
    """

    target: FileTarget
    file: str
    shown: str
    options: frozenset[str]
    included: bool = False
    is_assumed: bool = False

    def check_assumed(self, text: str) -> None:
        """Raise `IncludeFound` if the block was assumed to be none, and is an include in the file's text."""
        if self.is_assumed and self.target.block and include_making(text, self.target.block):
            raise IncludeFound

    @property
    def addresses_part(self) -> bool:
        """Whether a block or lines are addressed instead of a whole file."""
        return bool(self.target.block or self.target.lines or self.included)

    def require_whole_file(self, command: Command) -> None:
        """Refuse a block or lines."""
        if self.addresses_part:
            message = f"/{command.name} takes a whole file, not {self.shown}"
            raise Refusal(ErrorCode.INVALID_TARGET, message, f"Usage: {command.usage}")

    def read(self) -> str:
        """Return the file's text, or refuse."""
        try:
            return read_text(self.target.path, self.file)
        except Refusal as refusal:
            if self.included and refusal.code == ErrorCode.NOT_FOUND:
                raise Refusal(refusal.code, refusal.message, f"/write {self.shown} creates it.") from None
            raise

    def read_if_there(self) -> str | None:
        """Return the file's text, or None if the file does not exist."""
        return read_if_there(self.target.path, self.file)


class IncludeFound(Exception):
    """A block that was no include when the file was last read is one now."""


async def read_request(
    invocation: Invocation, command: Command, *options: str, assumes: bool = False
) -> EditRequest:
    """Parse the path and options of an editing command; resolve a block that is an include to its file.

    Reading the file to see whether the block is one takes time, which a command saves that `assumes` it is as
    it was.
    """
    arguments = parse_path_arguments(invocation.line.arguments, *options)
    if not arguments.path:
        raise Refusal(ErrorCode.INVALID_TARGET, "No file is named.", f"Usage: {command.usage}")
    if is_typed_uri(arguments.path, invocation):
        raise Refusal(ErrorCode.INVALID_TARGET, f"Not a file: {arguments.path}", "Only files can be edited.")
    full_access = invocation.runtime.config.full_access
    target = resolve(arguments.path, invocation.session, full_access=full_access)
    part = _part(target)
    name = target.typed.removesuffix(part) or display(target.path, invocation.session.user)
    request = EditRequest(target=target, file=name, shown=name + part, options=arguments.options)
    if not target.block or is_large(target.path):
        return request
    if assumes and _was_no_include(target.path, target.block):
        return replace(request, is_assumed=True)
    return await READING.run(_follow_includes, request, DocumentNavigator(invocation))


def _was_no_include(path: Path, block: str) -> bool:
    text = latest_text(str(path))
    return text is not None and not is_verbatim(path) and is_no_include(text, block)


def _follow_includes(request: EditRequest, navigator: DocumentNavigator) -> EditRequest:
    """Return the request for the file in which the block is stored."""
    visited: set[Path] = set()
    while block := request.target.block:
        target = request.target
        include = _include(request, block)
        if include is None:
            break
        visited.add(target.path)
        found = navigator.links.resolve(source_of(include, target.path), target.path)
        if found.path in visited:
            raise Refusal(ErrorCode.INVALID_TARGET, f"{request.shown} includes itself: {request.file}")
        stored = replace(target, path=found.path, block=found.block)
        request = replace(
            request, target=stored, file=navigator.shown(found.path), included=found.block is None
        )
    return request


def _include(request: EditRequest, block: str) -> Directive | None:
    text = request.read()
    if is_verbatim(request.target.path):
        raise unknown_block(block, {})
    return include_making(text, block)


def read_body(invocation: Invocation, command: Command) -> str:
    """Return the lines below the command; refuse a command without any."""
    body = invocation.line.full_body
    if not body:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"/{command.name} needs a body.", f"Usage: {command.usage}")
    return body


async def read_file(invocation: Invocation, request: EditRequest) -> str:
    """Return the file's text and record that the topic has seen it."""
    text = await STORAGE.run(request.read)
    record_seen(invocation.session, request.target.path, text)
    return text


def _part(target: FileTarget) -> str:
    """Return the suffix of the typed target that names a block or lines."""
    if target.block:
        return f"#{target.block}"
    return target.typed[target.typed.rindex(":L") :] if target.lines else ""
