"""Run a shell command in a process group of its own: bounded in time and output, killed with its group."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from stringd.processes.command_client import SupervisedCommand
from stringd.processes.lease_deadline import DEADLINE
from stringd.processes.output_pipe import OnOutput
from stringd.processes.spawned_program import SpawnedProgram
from stringd.processes.spilled_output import Spill, SpillingBuffer

LINGER_SECONDS = 0.1
OUTPUT_LIMIT = 10 * 1024 * 1024
"""The most output of one command, in bytes, that is held in memory."""
# More is not decoded on the event loop.
_SMALL = 64 * 1024


class Finished(Struct, frozen=True, kw_only=True):
    """The end of a command. `status` counts as in a shell, 128 + N for signal N; None after a timeout."""

    status: int | None
    output: str
    whole: Spill | None = None
    """All of the output, if `output` is only its beginning and end."""


async def run_shell(
    command: str,
    *,
    directory: Path,
    environment: Mapping[str, str],
    seconds: float,
    on_output: OnOutput | None = None,
) -> Finished:
    """Run `bash -c` until it ends or times out, stdout and stderr merged; then kill its process group.

    `on_output` gets the output as it comes.
    """
    output = SpillingBuffer(OUTPUT_LIMIT)

    def receive(data: bytes) -> None:
        output.add(data)
        if on_output:
            on_output(data)

    start = SupervisedCommand if DEADLINE.is_set else SpawnedProgram
    program = start(
        ("/bin/bash", "-c", command), directory=directory, environment=environment, on_output=receive
    )
    try:
        await asyncio.wait({program.exited}, timeout=seconds)
        if program.failure:
            raise program.failure
        # A background child may keep the pipe open; its later output belongs to no reply.
        await asyncio.wait({program.closed}, timeout=LINGER_SECONDS if program.exited.done() else 0)
        whole = output.take_spill()
        return Finished(status=program.status, output=await _text_of(output), whole=whole)
    finally:
        program.kill()
        if not program.exited.done():
            # Let the event loop reap it.
            await asyncio.wait({program.exited}, timeout=LINGER_SECONDS)
        program.close()


async def _text_of(output: SpillingBuffer) -> str:
    return output.take_text() if len(output) <= _SMALL else await asyncio.to_thread(output.take_text)
