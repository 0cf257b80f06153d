"""A program that was started for its output, which the event loop reads until the program has ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from stringd.processes.descriptors import DESCRIPTORS
from stringd.processes.output_pipe import OnOutput, OutputPipe, resolve
from stringd.processes.tree import kill_tree, shell_status


class SpawnedProgram:
    """A program in a session of its own; what it prints goes to `on_output`.

    The event loop's own way copies the page tables of the daemon, which takes several times as long as to
    start a shell.
    """

    def __init__(
        self, command: Sequence[str], *, directory: Path, environment: Mapping[str, str], on_output: OnOutput
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._process = DESCRIPTORS.start(command, directory=directory, environment=environment)
        self.pid = self._process.pid
        self.failure: OSError | None = None
        """None: the constructor raises what keeps it from starting."""
        self.exited: asyncio.Future[None] = self._loop.create_future()
        """Completes when the program has ended."""
        if self._process.stdout is None:
            raise RuntimeError("programs are started with a pipe")
        self._output = OutputPipe(self._process.stdout, on_output)
        self.closed = self._output.closed
        """Completes when no process can print any more."""
        self._ended: int | None = None
        self._watch_end()

    @property
    def status(self) -> int | None:
        """The exit status as a shell counts it, 128 + N for signal N; None while the program runs."""
        code = self._process.returncode
        return None if code is None else shell_status(code)

    def kill(self) -> None:
        """Kill its process group; if it has not ended, all that it has started, too."""
        if not self.exited.done():
            kill_tree(self.pid)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Stop reading."""
        self._output.close()
        if self._ended is not None:
            self._loop.remove_reader(self._ended)
            os.close(self._ended)
            self._ended = None

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
        self._loop.call_soon_threadsafe(resolve, self.exited)

    def _reap(self) -> None:
        if self._process.poll() is not None:
            if self._ended is not None:
                self._loop.remove_reader(self._ended)
            resolve(self.exited)
