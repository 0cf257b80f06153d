"""Keep the first bytes of a stream in a file in memory, and read and drop the rest.

Supervisors import this module: it must not import `stringd.plugin`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os

from stringd_approval.executing.pipeline_job import MOST_OUTPUT

_PIECE = 1024 * 1024
_PIPE, _LARGE_PIPE = 64 * 1024, 256 * 1024


class Capture:
    """A pipe that is drained into memory; bytes go from the one to the other within the kernel."""

    def __init__(self) -> None:
        self._pipe, self.writable = os.pipe()
        os.set_blocking(self._pipe, False)
        self._kept: int | None = None
        self.size = 0
        self.is_truncated = False
        self.is_open = True
        """Whether a process may still write."""

    def fileno(self) -> int:
        """Return the descriptor that becomes readable."""
        return self._pipe

    @property
    def kept(self) -> int:
        """The descriptor of the file with what was kept."""
        if self._kept is None:
            self._kept = os.memfd_create("output")
        return self._kept

    def take_piece(self) -> bool:
        """Take what can be read; return False if that is nothing for now, or for ever."""
        try:
            taken = self._keep() if self.size < MOST_OUTPUT else self._drop()
        except BlockingIOError:
            return False
        self.is_open = taken > 0
        return self.is_open

    def close_writable(self) -> None:
        """Close this process's end for writing, once the stages have theirs."""
        if self.writable >= 0:
            os.close(self.writable)
            self.writable = -1

    def close(self) -> None:
        """Close everything."""
        self.close_writable()
        os.close(self._pipe)
        if self._kept is not None:
            os.close(self._kept)

    def _keep(self) -> int:
        taken = os.splice(self._pipe, self.kept, min(_PIECE, MOST_OUTPUT - self.size))
        self.size += taken
        if taken == _PIPE:
            self._enlarge_pipe()
        return taken

    def _enlarge_pipe(self) -> None:
        """Let a program that fills the pipe write more at once, unless the user has too many large pipes."""
        with contextlib.suppress(OSError):
            fcntl.fcntl(self._pipe, fcntl.F_SETPIPE_SZ, _LARGE_PIPE)

    def _drop(self) -> int:
        dropped = len(os.read(self._pipe, _PIECE))
        self.is_truncated |= dropped > 0
        return dropped
