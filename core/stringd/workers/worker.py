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

from stringd.api.workers import Budget
from stringd.errors import Refusal, WorkStopped
from stringd.workers.confinement import Seal
from stringd.workers.protocol import LENGTH, LONGEST_ANSWER, READY, STARTED, packages_of, packed, untrusted

_START_SECONDS = 30.0
# A job that neither computes nor ends is stopped after so much more time than it may compute.
_WAITING = 10.0
_SHORTEST_WAIT = 0.01
_LARGE = 256 * 1024
_KEPT = ("PATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
_ENDED = "its process ended, so it probably needs too much memory"


class Worker:
    """A process that does one job at a time; whatever goes wrong in one, it is killed."""

    def __init__(self, seal: Seal, modules: Sequence[str] = ()) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.setblocking(False)
        with theirs:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", "stringd.workers.child"),
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
        # What runs templates returns plain values: not even classes of ours can be named by it.
        self._returns_records = seal is not Seal.COMPUTING
        self._is_ready = False
        self._cpu_seconds = 0.0
        self.is_free = True
        """Whether it can be given a job: not while it is at one, nor ever after one that went wrong."""
        self.used = 0.0
        """The CPU seconds that the last job took."""

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process is still there."""
        return self._process.poll() is None

    async def run(self, job: Callable[..., Any], arguments: tuple[object, ...], budget: Budget) -> Any:
        """Return what a job returns; raise its `Refusal`, `WorkStopped`, or RuntimeError with a traceback."""
        self.is_free = False
        try:
            message = await self._asked(packed((job, arguments, budget.memory)), budget.seconds)
        except RecursionError as error:
            raise WorkStopped("what it is given is nested too deeply") from error
        except (OSError, EOFError) as error:
            raise WorkStopped(_ENDED) from error
        packages = packages_of(job) if self._returns_records else frozenset[str]()
        outcome = await self._unpacked(message, packages)
        self.is_free = outcome != ("memory",)
        return _result(job, outcome)

    def kill(self) -> None:
        """End the process, whatever it does."""
        self._socket.close()
        self._process.kill()
        self._process.wait()

    async def _asked(self, message: bytes, seconds: float) -> bytearray:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(_START_SECONDS):
            if not self._is_ready:
                await self._expect(READY)
                self._is_ready = True
            await loop.sock_sendall(self._socket, message)
            await self._expect(STARTED)
        return await self._answered(seconds)

    async def _answered(self, seconds: float) -> bytearray:
        """Return the answer, if it comes before the process has computed, or waited, for too long."""
        loop = asyncio.get_running_loop()
        began, deadline = self._computed(), loop.time() + seconds * _WAITING
        answer = asyncio.ensure_future(self._receive_message())
        try:
            while not answer.done():
                self.used = self._computed() - began
                left = min(seconds - self.used, deadline - loop.time())
                if left <= 0:
                    raise WorkStopped("it takes too long")
                await asyncio.wait({answer}, timeout=max(left, _SHORTEST_WAIT))
            self.used = self._computed() - began
            return answer.result()
        finally:
            answer.cancel()
            # Until it has let go of the socket, its number must not be that of another one.
            await asyncio.wait({answer})

    async def _expect(self, word: bytes) -> None:
        if await self._receive(len(word)) != word:
            raise EOFError

    async def _receive_message(self) -> bytearray:
        (size,) = LENGTH.unpack(await self._receive(LENGTH.size))
        if size > LONGEST_ANSWER:
            raise WorkStopped("its result is too large")
        return await self._receive(size)

    async def _receive(self, size: int) -> bytearray:
        data = bytearray(size)
        view, loop = memoryview(data), asyncio.get_running_loop()
        while view:
            count = await loop.sock_recv_into(self._socket, view)
            if not count:
                raise EOFError
            view = view[count:]
        return data

    async def _unpacked(self, message: bytearray, packages: frozenset[str]) -> Any:
        try:
            if len(message) > _LARGE:
                return await asyncio.to_thread(untrusted, message, packages)
            return untrusted(message, packages)
        except (pickle.UnpicklingError, ValueError, TypeError, AttributeError, EOFError) as error:
            raise WorkStopped(f"its result can't be read: {error}") from error

    def _computed(self) -> float:
        """Return the CPU seconds used so far; elsewhere than on Linux, the seconds that passed."""
        if sys.platform != "linux":
            return time.monotonic()
        # There is no such clock any more once the process has been reaped.
        with contextlib.suppress(OSError):
            self._cpu_seconds = time.clock_gettime(_cpu_clock(self._process.pid))
        return self._cpu_seconds


def _environment() -> dict[str, str]:
    """Return what a process needs to find the same modules; it gets nothing else of the daemon's."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _cpu_clock(pid: int) -> int:
    """Return Linux's clock of the CPU time of another process."""
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
            raise WorkStopped("its process answers nonsense")
