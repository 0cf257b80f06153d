"""The daemon's end of one worker process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from stringd.api.workers import Budget, OnParts
from stringd.errors import Refusal, WorkStopped
from stringd.workers.confinement import Seal
from stringd.workers.protocol import (
    LENGTH,
    LONGEST_ANSWER,
    READY,
    STARTED,
    packages_of,
    packed,
    read_progress,
    untrusted,
)

_START_SECONDS = 30.0
# A job that sleeps is stopped after this many times its budget of CPU time.
_WALL_CLOCK_FACTOR = 10.0
_SHORTEST_WAIT = 0.01
_LARGE = 256 * 1024
_MOST_REPORTS = 10_000
_KEPT = ("PATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
_ENDED = "its process ended, so it probably needs too much memory"


class Worker:
    """A process that runs one job at a time; after one that went wrong, it is killed."""

    def __init__(self, seal: Seal, modules: Sequence[str] = ()) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.setblocking(False)
        with theirs:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", "stringd.workers.worker_program"),
                    *(str(theirs.fileno()), seal.value, *modules),
                ],
                cwd="/",
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        # Jobs that run templates return plain values: their results can't name any class, not even ours.
        self._returns_records = seal is not Seal.COMPUTING
        self._is_ready = False
        self._cpu_seconds = 0.0
        self.is_free = True
        """Whether it can be given a job: not during one, nor after one that went wrong."""
        self.used = 0.0
        """The CPU seconds that the last job took."""

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    async def run(
        self,
        job: Callable[..., Any],
        arguments: tuple[object, ...],
        budget: Budget,
        on_parts: OnParts | None = None,
    ) -> Any:
        """Return what a job returns; raise its `Refusal`, `WorkStopped`, or RuntimeError with a traceback."""
        self.is_free = False
        try:
            message = await self._ask(packed((job, arguments, budget.memory)), budget.seconds, on_parts)
        except RecursionError as error:
            raise WorkStopped("its arguments are nested too deeply") from error
        except (OSError, EOFError) as error:
            raise WorkStopped(_ENDED) from error
        packages = packages_of(job) if self._returns_records else frozenset[str]()
        outcome = await self._unpack(message, packages)
        self.is_free = outcome != ("memory",)
        return _result(job, outcome)

    def kill(self) -> None:
        """Kill the process."""
        self._socket.close()
        self._process.kill()
        self._process.wait()

    async def _ask(self, message: bytes, seconds: float, on_parts: OnParts | None) -> bytearray:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(_START_SECONDS):
            if not self._is_ready:
                await self._expect(READY)
                self._is_ready = True
            await loop.sock_sendall(self._socket, message)
            await self._expect(STARTED)
        return await self._await_answer(seconds, on_parts)

    async def _await_answer(self, seconds: float, on_parts: OnParts | None) -> bytearray:
        """Return the answer, unless the process exceeds its CPU time or waits for too long."""
        loop = asyncio.get_running_loop()
        start, deadline = self._cpu_time(), loop.time() + seconds * _WALL_CLOCK_FACTOR
        answer = asyncio.ensure_future(self._receive_message(on_parts))
        try:
            while not answer.done():
                self.used = self._cpu_time() - start
                left = min(seconds - self.used, deadline - loop.time())
                if left <= 0:
                    raise WorkStopped("it takes too long")
                await asyncio.wait({answer}, timeout=max(left, _SHORTEST_WAIT))
            self.used = self._cpu_time() - start
            return answer.result()
        finally:
            answer.cancel()
            # While the task uses the socket, its descriptor must not be closed and reused.
            await asyncio.wait({answer})

    async def _expect(self, word: bytes) -> None:
        if await self._receive(len(word)) != word:
            raise EOFError

    async def _receive_message(self, on_parts: OnParts | None) -> bytearray:
        for _ in range(_MOST_REPORTS):
            (size,) = LENGTH.unpack(await self._receive(LENGTH.size))
            progress = read_progress(size)
            if progress is None:
                if size > LONGEST_ANSWER:
                    raise WorkStopped("its result is too large")
                return await self._receive(size)
            if on_parts:
                on_parts(*progress)
        raise WorkStopped("it does nothing but say how far it is")

    async def _receive(self, size: int) -> bytearray:
        data = bytearray(size)
        view, loop = memoryview(data), asyncio.get_running_loop()
        while view:
            count = await loop.sock_recv_into(self._socket, view)
            if not count:
                raise EOFError
            view = view[count:]
        return data

    async def _unpack(self, message: bytearray, packages: frozenset[str]) -> Any:
        try:
            if len(message) > _LARGE:
                return await asyncio.to_thread(untrusted, message, packages)
            return untrusted(message, packages)
        except (pickle.UnpicklingError, ValueError, TypeError, AttributeError, EOFError) as error:
            raise WorkStopped(f"its result can't be read: {error}") from error

    def _cpu_time(self) -> float:
        """Return the CPU time used so far; on systems other than Linux, the time that has passed."""
        if sys.platform != "linux":
            return time.monotonic()
        # A reaped process has no clock any more.
        with contextlib.suppress(OSError):
            self._cpu_seconds = time.clock_gettime(_cpu_clock(self._process.pid))
        return self._cpu_seconds


def _environment() -> dict[str, str]:
    """Return the part of the environment that is needed to import the same modules."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _cpu_clock(pid: int) -> int:
    """Return the id of Linux's CPU-time clock of another process."""
    return (~pid << 3) | 2


def _result(job: Callable[..., Any], outcome: Any) -> Any:
    match outcome:
        case ("done", result):
            return result
        case ("refused", str(code), str(message), context):
            raise Refusal(code, message, *context)
        case ("memory",):
            raise WorkStopped("it needs too much memory")
        case ("failed", str(trace)):
            raise RuntimeError(f"{job.__module__}.{job.__name__} failed in a worker:\n{trace}")
        case _:
            raise WorkStopped("its process sent an invalid message")
