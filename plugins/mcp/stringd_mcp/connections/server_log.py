"""What a server prints and says beside its answers, bounded, for `/info` and for errors."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from stringd.plugin.terminal import stripped

_MOST = 16 * 1024
_MOST_SHOWN = 2000
_LINES_IN_ERRORS = 5
_LONGEST_LINE = 300
_MOMENT = 1.0


class ServerLog:
    """The end of the standard error of a server, and how it has ended."""

    def __init__(self) -> None:
        self._tail = b""
        self.starts = 0
        self.failure = ""
        self._is_stopping = False
        self._ended = asyncio.Event()

    def begin(self) -> None:
        """Note that the server is started."""
        self.starts += 1
        self.failure = ""
        self._is_stopping = False
        self._ended.clear()

    def stop(self) -> None:
        """Note that the server is being stopped: how it ends from now on is no reason."""
        self._is_stopping = True

    def end(self, reason: str) -> None:
        """Note why the connection has ended; the first reason counts."""
        self.failure = self.failure or reason
        self._ended.set()

    def exit(self, status: str) -> None:
        """Note how the program has ended, which is the reason unless it was stopped."""
        if not self._is_stopping:
            self.end(status)

    async def wait_for_end(self) -> None:
        """Wait a moment for the reason of an end that has already been seen."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), _MOMENT)

    def write(self, data: bytes) -> None:
        """Add what the server has printed."""
        self._tail = (self._tail + data)[-_MOST:]

    def note(self, line: str) -> None:
        """Add a remark on a line of its own."""
        begins_line = not self._tail or self._tail.endswith(b"\n")
        self.write(f"{'' if begins_line else chr(10)}{line}\n".encode(errors="replace"))

    @property
    def text(self) -> str:
        """The end of it, as plain text."""
        return stripped(self._tail.decode(errors="replace")).strip()[-_MOST_SHOWN:]

    def last_lines(self) -> tuple[str, ...]:
        """Return the last lines, for an error."""
        lines = [it.strip()[:_LONGEST_LINE] for it in self.text.splitlines() if it.strip()]
        return tuple(f"log: {it}" for it in lines[-_LINES_IN_ERRORS:])
