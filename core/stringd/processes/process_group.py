"""Programs in a process group of their own: bounded in time and output, ended with their group."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stringd.processes.descriptors import DESCRIPTORS

OUTPUT_LIMIT = 1024 * 1024
LINGER_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a program ended. `status` is the shell's: 128 + N for signal N; None when its time was over."""

    status: int | None
    output: str


async def run_shell(
    command: str,
    *,
    directory: Path,
    environment: Mapping[str, str],
    seconds: float,
    output_limit: int = OUTPUT_LIMIT,
) -> Finished:
    """Run `bash -c` to its end or its time limit, output and errors merged; its group ends with it."""
    run = _Run(output_limit)
    transport, _ = await asyncio.get_running_loop().subprocess_exec(
        lambda: run,
        "/bin/bash",
        "-c",
        command,
        cwd=directory,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=DESCRIPTORS.restore,
    )
    try:
        await asyncio.wait({run.exited}, timeout=seconds)
        # A background child may hold the pipe open; what it has not said by now belongs to nobody.
        await asyncio.wait({run.silent}, timeout=LINGER_SECONDS if run.exited.done() else 0)
        return Finished(status=_status(transport.get_returncode()), output=run.text())
    finally:
        _end_group(transport.get_pid())
        if not run.exited.done():
            # The loop hears of the end as long as it runs.
            await asyncio.wait({run.exited}, timeout=LINGER_SECONDS)
        transport.close()


def _status(code: int | None) -> int | None:
    return 128 - code if code is not None and code < 0 else code


def _end_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


class _Run(asyncio.SubprocessProtocol):
    """Keeps the head and the tail of what a program prints, and counts what lies between."""

    def __init__(self, limit: int) -> None:
        loop = asyncio.get_running_loop()
        self._half = limit // 2
        self.exited: asyncio.Future[None] = loop.create_future()
        self.silent: asyncio.Future[None] = loop.create_future()
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def pipe_data_received(self, _: int, data: bytes) -> None:
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        excess = len(self._tail) - self._half
        if excess > 0:
            del self._tail[:excess]
            self._dropped += excess

    def pipe_connection_lost(self, _: int, __: Exception | None) -> None:
        _resolve(self.silent)

    def process_exited(self) -> None:
        _resolve(self.exited)

    def text(self) -> str:
        head = self._head.decode(errors="replace")
        if not self._dropped:
            return head + self._tail.decode(errors="replace")
        cut = f"\n[... {self._dropped} bytes of output left out ...]\n"
        return head + cut + self._tail.decode(errors="replace")


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
