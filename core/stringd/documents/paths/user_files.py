"""Access to a user's files by typed path, restricted to what the user may access."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from stringd.api.commands import Invocation
from stringd.api.runtime import Runtime
from stringd.api.users import User
from stringd.documents.paths.resolving import path_scope
from stringd.documents.paths.text_files import new_file, read_bytes, read_if_there, read_text, write_text
from stringd.errors import ErrorCode, Refusal
from stringd.files.typed_paths import PathScope, display, resolve_path
from stringd.workers.threads import STORAGE


class UserFiles:
    """Reads and writes files named by a command, within the boundary of its user.

    The boundary is the user's home and allowed paths, or all files if the daemon was started with
    `--access full`. Relative paths start at the topic's working directory. For files outside the boundary,
    and those that can't be read or written, methods raise `Refusal` with the code and message of the core's
    own commands.
    """

    def __init__(self, invocation: Invocation) -> None:
        self._runtime = invocation.runtime
        self._user = invocation.session.user
        self._scope: Callable[[], PathScope] = lambda: path_scope(
            invocation.session, full_access=self._runtime.config.full_access
        )

    def resolve(self, typed: str) -> Path:
        """Return the real path of a file or directory, whether it exists or not."""
        target = resolve_path(typed, self._scope(), typed)
        if target.block is not None or target.lines is not None:
            raise Refusal(ErrorCode.INVALID_TARGET, f"A path without a block or lines is needed: {typed}")
        return target.path

    def shown(self, path: Path) -> str:
        """Return a real path as replies show it: relative to the home if inside, else absolute."""
        return display(path, self._user)

    async def read_text(self, typed: str) -> str:
        """Return the text of a UTF-8 file."""
        return await STORAGE.run(read_text, self.resolve(typed), typed)

    async def read_bytes(self, typed: str) -> bytes:
        """Return the content of a file of at most 10 MiB."""
        return await STORAGE.run(self.content, typed)

    def content(self, typed: str) -> bytes:
        """Return the content of a file of at most 10 MiB; it blocks."""
        return read_bytes(self.resolve(typed), typed)

    async def write_text(self, typed: str, text: str) -> Path:
        """Write a file atomically, creating missing directories; return its real path."""
        path = self.resolve(typed)
        async with self._runtime.editing(path):
            before = await STORAGE.run(read_if_there, path, typed)
            await STORAGE.run(lambda: write_text(path, text, typed, replacing=before))
        return path

    async def write_new(self, typed: str, data: bytes) -> Path:
        """Write a new file, creating missing directories; return its real path."""
        path = self.resolve(typed)
        async with self._runtime.editing(path), STORAGE.within(new_file(path, typed)) as file:
            await STORAGE.run(file.write, data)
        return path


class HomeFiles(UserFiles):
    """The files of a user outside of commands; relative paths start at a directory, or at the home."""

    def __init__(self, user: User, runtime: Runtime, directory: Path | None = None) -> None:
        scope = PathScope(
            user=user,
            directory=str(directory) if directory else None,
            document_uri=None,
            full_access=runtime.config.full_access,
        )
        self._runtime = runtime
        self._user = user
        self._scope = lambda: scope
