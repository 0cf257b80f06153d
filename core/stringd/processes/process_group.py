"""Run a shell command in a process group of its own: bounded in time and output, killed with its group."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from asyncio import SubprocessProtocol, SubprocessTransport
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from stringd.processes.descriptors import DESCRIPTORS
from stringd.processes.tree import kill_tree
from stringd.text.head_tail_buffer import OUTPUT_LIMIT, HeadTailBuffer

Started: TypeAlias = tuple[SubprocessTransport, SubprocessProtocol]

LINGER_SECONDS = 0.1

OnOutput: TypeAlias = Callable[[bytes], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The end of a command. `status` counts as in a shell, 128 + N for signal N; None after a timeout."""

    status: int | None
    output: str


async def run_shell(
    command: str,
    *,
    directory: Path,
    environment: Mapping[str, str],
    seconds: float,
    output_limit: int = OUTPUT_LIMIT,
    on_output: OnOutput | None = None,
) -> Finished:
    """Run `bash -c` until it ends or times out, stdout and stderr merged; then kill its process group.

    `on_output` gets the output as it comes.
    """
    run = _Run(output_limit, on_output)
    transport = await _start(run, command, directory, environment)
    try:
        await asyncio.wait({run.exited}, timeout=seconds)
        # A background child may keep the pipe open; its later output belongs to no reply.
        await asyncio.wait({run.closed}, timeout=LINGER_SECONDS if run.exited.done() else 0)
        return Finished(status=_status(transport.get_returncode()), output=run.output.take_text())
    finally:
        if not run.exited.done():
            kill_tree(transport.get_pid())
        _kill_group(transport.get_pid())
        if not run.exited.done():
            # Let the event loop reap it.
            await asyncio.wait({run.exited}, timeout=LINGER_SECONDS)
        transport.close()


async def _start(
    run: _Run, command: str, directory: Path, environment: Mapping[str, str]
) -> asyncio.SubprocessTransport:
    """Start a shell; when cancelled meanwhile, end its children too, which asyncio would leave behind."""
    starting = asyncio.get_running_loop().subprocess_exec(
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
        preexec_fn=DESCRIPTORS.prepare_child,
    )
    started = asyncio.ensure_future(starting)
    try:
        transport, _ = await asyncio.shield(started)
    except asyncio.CancelledError:
        transport, _ = await started
        kill_tree(transport.get_pid())
        transport.close()
        raise
    return transport


def _status(code: int | None) -> int | None:
    return 128 - code if code is not None and code < 0 else code


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


class _Run(asyncio.SubprocessProtocol):
    """Collects the output of a command and resolves futures when it exits and when its output ends."""

    def __init__(self, limit: int, on_output: OnOutput | None) -> None:
        loop = asyncio.get_running_loop()
        self.exited: asyncio.Future[None] = loop.create_future()
        self.closed: asyncio.Future[None] = loop.create_future()
        self.output = HeadTailBuffer(limit)
        self._on_output = on_output

    def pipe_data_received(self, _: int, data: bytes) -> None:
        self.output.add(data)
        if self._on_output:
            self._on_output(data)

    def pipe_connection_lost(self, _: int, __: Exception | None) -> None:
        _resolve(self.closed)

    def process_exited(self) -> None:
        _resolve(self.exited)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
