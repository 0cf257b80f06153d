"""The files of a topic's user: typed paths, resolved inside of what the user may touch."""

from __future__ import annotations

from pathlib import Path

from stringd.api.commands import Invocation
from stringd.documents.paths.resolving import resolve
from stringd.documents.paths.text_files import read_bytes, read_if_there, read_text, write_text
from stringd.errors import ErrorCode, Refusal
from stringd.files.typed_paths import FileTarget, display
from stringd.workers.threads import STORAGE


class UserFiles:
    """Reads and writes the files that a command names, inside the boundary of its user.

    The boundary is the user's home and allowed paths, or every file where the daemon was started with
    `--access full`. Relative paths begin where the topic is. What lies outside, and what can't be read or
    written, raises `Refusal` with the code and message of the core's own commands.
    """

    def __init__(self, invocation: Invocation) -> None:
        self._runtime = invocation.runtime
        self._session = invocation.session

    def resolve(self, typed: str) -> Path:
        """Return the real path of a file or directory, whether anything is there or not."""
        target = self._target(typed)
        if target.block is not None or target.lines is not None:
            raise Refusal(ErrorCode.INVALID_TARGET, f"A path without a block or lines is needed: {typed}")
        return target.path

    def shown(self, path: Path) -> str:
        """Return how replies name a real path: relative to the user's home where it is inside."""
        return display(path, self._session.user)

    async def read_text(self, typed: str) -> str:
        """Return the text of a file in UTF-8."""
        return await STORAGE.run(read_text, self.resolve(typed), typed)

    async def read_bytes(self, typed: str) -> bytes:
        """Return what a file holds, of at most 10 MiB."""
        return await STORAGE.run(read_bytes, self.resolve(typed), typed)

    async def write_text(self, typed: str, text: str) -> Path:
        """Write the whole file in one step, with the directories that are missing; return its real path."""
        path = self.resolve(typed)
        async with self._runtime.editing(path):
            before = await STORAGE.run(read_if_there, path, typed)
            await STORAGE.run(lambda: write_text(path, text, typed, replacing=before))
        return path

    def _target(self, typed: str) -> FileTarget:
        return resolve(typed, self._session, full_access=self._runtime.config.full_access)
