"""Programs in a process group of their own: bounded in time and output, ended with all their children."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

OUTPUT_LIMIT = 1024 * 1024
LINGER_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a program ended. `status` is the shell's: 128 + N for signal N; None when its time was over."""

    status: int | None
    output: str


async def run_shell(
    command: str, *, directory: Path, environment: Mapping[str, str], seconds: float
) -> Finished:
    """Run `bash -c` to its end or its time limit, output and errors merged; nothing of it lives on."""
    with _pipe() as (reading_end, writing_end):
        process = await asyncio.create_subprocess_exec(
            "/bin/bash",
            "-c",
            command,
            cwd=directory,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=writing_end,
            stderr=writing_end,
            start_new_session=True,
        )
        output = _Output()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: output, reading_end)
    try:
        status = await _status(process, seconds)
        # A background child may hold the pipe open; what it has not said by now belongs to nobody.
        await asyncio.wait({output.ended}, timeout=LINGER_SECONDS)
    finally:
        _end_group(process.pid)
        transport.close()
    return Finished(status=status, output=output.text())


@contextlib.contextmanager
def _pipe() -> Iterator[tuple[BinaryIO, int]]:
    """Yield both ends: the reading one outlives the block, its owner closes it."""
    reading, writing = os.pipe()
    reader = os.fdopen(reading, "rb", buffering=0)
    try:
        yield reader, writing
    except BaseException:
        reader.close()
        raise
    finally:
        os.close(writing)


async def _status(process: asyncio.subprocess.Process, seconds: float) -> int | None:
    try:
        status = await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        return None
    return status if status >= 0 else 128 - status


def _end_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


class _Output(asyncio.Protocol):
    """Keeps the head and the tail of what a pipe brings, and counts what lies between."""

    def __init__(self) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def data_received(self, data: bytes) -> None:
        room = OUTPUT_LIMIT // 2 - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        excess = len(self._tail) - OUTPUT_LIMIT // 2
        if excess > 0:
            del self._tail[:excess]
            self._dropped += excess

    def connection_lost(self, _: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    def text(self) -> str:
        head = self._head.decode(errors="replace")
        if not self._dropped:
            return head + self._tail.decode(errors="replace")
        cut = f"\n[... {self._dropped} bytes of output left out ...]\n"
        return head + cut + self._tail.decode(errors="replace")
