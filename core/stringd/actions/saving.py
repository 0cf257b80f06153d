"""The files that actions read and write for a topic, within its user's boundary."""

from __future__ import annotations

from stringd.actions.action_environment import Environment
from stringd.actions.templates.run import Save
from stringd.api.commands import Invocation
from stringd.documents.editing.seen_files import record_seen
from stringd.documents.paths.resolving import FileTarget, resolve
from stringd.documents.paths.text_files import read_bytes, write_bytes
from stringd.errors import Refusal


class ActionFiles:
    """Reads what a modifier names and writes what a template saves, if the document is to be trusted."""

    def __init__(self, invocation: Invocation, environment: Environment) -> None:
        self._invocation = invocation
        self._trusted = environment.trusted

    def read(self, typed: str) -> bytes:
        """Return what the file at a typed path holds, or refuse."""
        return read_bytes(self._resolved(typed, "reads").path, typed)

    async def save(self, save: Save) -> None:
        """Write a file, whole or not at all, or refuse."""
        path = self._resolved(save.path, "writes").path
        async with self._invocation.runtime.editing(path):
            write_bytes(path, save.data, save.path)
            record_seen(self._invocation.session, path, _text_of(save.data))

    def _resolved(self, typed: str, does: str) -> FileTarget:
        if not self._trusted:
            raise not_trusted(f"{does} no file")
        full_access = self._invocation.runtime.config.full_access
        target = resolve(typed, self._invocation.session, full_access=full_access)
        if target.block or target.lines:
            raise Refusal("INVALID_TARGET", f"An action {does} whole files: {typed}")
        return target


def not_trusted(what: str) -> Refusal:
    """Return the refusal of what only a document of the user's own may do."""
    return Refusal(
        "NOT_TRUSTED",
        f"A document that came over the network {what}.",
        "If you trust its author, make it yours first: /install URL, then /open app:name",
    )


def _text_of(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None
