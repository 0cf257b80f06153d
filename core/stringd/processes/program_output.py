"""Run a program for its output: limited in time and size, and killed with its process group."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from stringd.processes.spawned_program import SpawnedProgram

_LINGER_SECONDS = 0.1
_NOWHERE = Path("/")


class ProgramOutput(Struct, frozen=True, kw_only=True):
    """What a program wrote; `status` is None if it was killed, as it took too long or wrote too much."""

    status: int | None
    output: bytes
    is_late: bool = False


async def output_of(
    arguments: Sequence[str], *, environment: Mapping[str, str], seconds: float, most: int
) -> ProgramOutput:
    """Run a program to its end, or until it exceeds a time or output limit."""
    output = bytearray()
    filled: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def receive(data: bytes) -> None:
        output.extend(data)
        if len(output) > most and not filled.done():
            filled.set_result(None)

    program = SpawnedProgram(arguments, directory=_NOWHERE, environment=environment, on_output=receive)
    ended = asyncio.ensure_future(_ended(program))
    try:
        done, _ = await asyncio.wait({ended, filled}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        status = program.status if ended in done else None
        return ProgramOutput(status=status, output=bytes(output), is_late=not done)
    finally:
        ended.cancel()
        await _end(program)


async def _ended(program: SpawnedProgram) -> None:
    # Unlike `await`, this leaves the futures as they are when it is cancelled.
    await asyncio.wait({program.exited, program.closed})


async def _end(program: SpawnedProgram) -> None:
    if not program.exited.done():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        await asyncio.wait({program.exited}, timeout=_LINGER_SECONDS)
    program.close()
