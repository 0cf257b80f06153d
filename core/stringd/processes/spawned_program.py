"""A program that was started for its output, which the event loop reads until the program has ended."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from stringd.processes.descriptors import DESCRIPTORS
from stringd.processes.tree import shell_status

_PIECE = 256 * 1024

OnOutput: TypeAlias = Callable[[bytes], None]


class SpawnedProgram:
    """A program in a session of its own; what it prints goes to `on_output`.

    The event loop's own way copies the page tables of the daemon, which takes several times as long as to
    start a shell.
    """

    def __init__(
        self, command: Sequence[str], *, directory: Path, environment: Mapping[str, str], on_output: OnOutput
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_output = on_output
        self._process = DESCRIPTORS.start(command, directory=directory, environment=environment)
        self.pid = self._process.pid
        self.exited: asyncio.Future[None] = self._loop.create_future()
        """Completes when the program has ended."""
        self.closed: asyncio.Future[None] = self._loop.create_future()
        """Completes when no process can print any more."""
        self._ended: int | None = None
        self._loop.add_reader(self._pipe, self._read)
        self._watch_end()

    @property
    def status(self) -> int | None:
        """The exit status as a shell counts it, 128 + N for signal N; None while the program runs."""
        code = self._process.returncode
        return None if code is None else shell_status(code)

    def close(self) -> None:
        """Stop reading."""
        self._stop_reading()
        if self._ended is not None:
            self._loop.remove_reader(self._ended)
            os.close(self._ended)
            self._ended = None

    @property
    def _pipe(self) -> int:
        if self._process.stdout is None:
            raise RuntimeError("programs are started with a pipe")
        return self._process.stdout.fileno()

    def _read(self) -> None:
        data = os.read(self._pipe, _PIECE)
        if data:
            self._on_output(data)
        else:
            self._stop_reading()

    def _stop_reading(self) -> None:
        if self._process.stdout and not self._process.stdout.closed:
            self._loop.remove_reader(self._pipe)
            self._process.stdout.close()
        _resolve(self.closed)

    def _watch_end(self) -> None:
        try:
            self._ended = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            # Systems without such descriptors, containers that forbid them, or none left.
            threading.Thread(target=self._wait, daemon=True).start()
        else:
            self._loop.add_reader(self._ended, self._reap)

    def _wait(self) -> None:
        self._process.wait()
        self._loop.call_soon_threadsafe(_resolve, self.exited)

    def _reap(self) -> None:
        if self._process.poll() is not None:
            if self._ended is not None:
                self._loop.remove_reader(self._ended)
            _resolve(self.exited)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
