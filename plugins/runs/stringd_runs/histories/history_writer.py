"""The one writer of a run's history: it groups the lines that arrive while it writes and syncs others."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from stringd.plugin.stores import AppendLog, LogElsewhere

log = logging.getLogger(__name__)

MOST_WAITING = 4 * 1024 * 1024
"""How many bytes may wait to be written before the run waits for them."""


class HistoryWriter:
    """Appends lines off the event loop, in their order.

    `on_progress` is called whenever lines have reached the disk, or once they cannot: `failure` then says
    why, and no further line is written.
    """

    def __init__(self, history: AppendLog, on_progress: Callable[[], None]) -> None:
        self._history = history
        self._on_progress = on_progress
        self._lines: list[bytes] = []
        self._waiting = 0
        self._wants_sync = False
        self._is_over = False
        self._is_closing = False
        self._wake = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()
        self._promised = self._synced = 0
        self._progress = asyncio.Event()
        self.failure: str | None = None
        self.is_elsewhere = False
        """Whether nothing can be written because another node writes the history."""

    @property
    def promised(self) -> int:
        """The number of syncs that have been asked for so far."""
        return self._promised

    def has_kept(self, promised: int) -> bool:
        """Whether that many syncs have been made."""
        return self._synced >= promised

    def append(self, line: bytes, *, sync: bool = False, is_over: bool = False) -> None:
        """Queue a line to be written, and synced to disk if requested, or if that costs nothing.

        `is_over` says that it is the last line of an execution.
        """
        if self.failure is not None:
            return
        self._lines.append(line)
        self._is_over = is_over
        self._waiting += len(line)
        if sync or self._history.keeps_all:
            self._promised += 1
            self._wants_sync = True
        if self._waiting > MOST_WAITING:
            self._has_room.clear()
        self._wake.set()

    async def wait_for_room(self) -> None:
        """Wait until not too much waits to be written."""
        await self._has_room.wait()

    async def kept(self) -> None:
        """Wait until everything is synced that was to be so far, or can't be."""
        promised = self._promised
        while self.failure is None and not self.has_kept(promised):
            await self._progress.wait()

    async def run(self) -> None:
        """Write until the writer is closed and nothing is left to write, or nothing can be written."""
        try:
            while self._lines or not self._is_closing:
                await self._wake.wait()
                self._wake.clear()
                if self._lines:
                    await self._write()
        except Exception as error:
            log.exception("writing a history failed")
            self.fail(f"{type(error).__name__}: see the log")
        try:
            await self._history.close()
        except Exception:
            # What was to be kept is on disk already.
            log.exception("closing a history failed")
        # The writer and whoever listens to it need not wait for the collection of cycles.
        self._on_progress = _ignore

    def fail(self, reason: str) -> None:
        """Write nothing more."""
        self.failure = reason
        self._lines = []
        self._has_room.set()
        self._note_progress()

    def close(self) -> None:
        """Have `run` return once everything is written."""
        self._is_closing = True
        self._wake.set()

    async def _write(self) -> None:
        data = b"".join(b"%b\n" % it for it in self._lines)
        promised, sync, is_over = self._promised, self._wants_sync, self._is_over
        self._lines, self._waiting, self._wants_sync = [], 0, False
        self._has_room.set()
        try:
            await self._history.append(data, sync=sync, is_over=is_over)
        except OSError as error:
            self.is_elsewhere = isinstance(error, LogElsewhere)
            self.fail(error.strerror or str(error))
        else:
            self._synced = promised
            self._note_progress()

    def _note_progress(self) -> None:
        self._progress.set()
        self._progress = asyncio.Event()
        self._on_progress()


def _ignore() -> None:
    """Listen no longer."""
