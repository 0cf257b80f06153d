"""Read and write files for actions, within the user's allowed paths."""

from __future__ import annotations

from collections.abc import Sequence

from stringd.actions.environment.action_environment import Environment
from stringd.actions.templates.template_run import FileToSave
from stringd.api.commands import Invocation
from stringd.documents.editing.seen_files import record_seen
from stringd.documents.paths.resolving import resolve
from stringd.documents.paths.text_files import check_writable, read_bytes, write_bytes
from stringd.errors import ErrorCode, Refusal
from stringd.files.open_directory import is_there
from stringd.files.typed_paths import FileTarget
from stringd.text.escaping import printable
from stringd.text.formatting import listed


class ActionFiles:
    """Reads files for placeholder modifiers and writes those that templates save, for trusted documents."""

    def __init__(self, invocation: Invocation, environment: Environment) -> None:
        self._invocation = invocation
        self._environment = environment

    def read(self, typed: str) -> bytes:
        """Return the content of the file at a typed path, or refuse."""
        return read_bytes(self._resolved(typed, "reads").path, typed)

    def uri(self, typed: str) -> str:
        """Return the URI of the file at a typed path, or refuse."""
        return self._resolved(typed, "reads").path.as_uri()

    def check(self, typed: str) -> None:
        """Refuse a path to which `save` could not write."""
        if not typed.strip():
            message = "The template saves a file, but the call names none."
            raise Refusal(ErrorCode.INVALID_PARAMS, message)
        check_writable(self._resolved(typed, "writes").path, typed)

    async def save(self, file: FileToSave) -> bool:
        """Write a file atomically, or refuse; return whether there was one already."""
        path = self._resolved(file.path, "writes").path
        async with self._invocation.runtime.editing(path):
            was_there = is_there(path)
            write_bytes(path, file.data, file.path)
            record_seen(self._invocation.session, path, _text_of(file.data))
        return was_there

    def _resolved(self, typed: str, verb: str) -> FileTarget:
        if not self._environment.trusted:
            raise untrusted_refusal(f"{verb} no file", self._environment)
        full_access = self._invocation.runtime.config.full_access
        target = resolve(typed, self._invocation.session, full_access=full_access)
        if target.block or target.lines:
            raise Refusal(ErrorCode.INVALID_TARGET, f"An action {verb} whole files: {typed}")
        return target


def replaced_notice(typed: Sequence[str]) -> str:
    """Return the line about the files that an answer has replaced."""
    names = listed([*map(printable, dict.fromkeys(typed))], "the template saves them")
    return f"[!] Replaced {names}: /undo does not bring back what was there"


def untrusted_refusal(restriction: str, environment: Environment) -> Refusal:
    """Return the refusal of something that only the user's own documents may do."""
    hint = environment.trust_hint
    return Refusal(
        ErrorCode.NOT_TRUSTED,
        f"A document that came over the network {restriction}.",
        *((f"If you trust its author, make it yours first: {hint}",) if hint else ()),
    )


def _text_of(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
