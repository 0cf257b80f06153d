"""Run a program for its output, under a supervisor that leaves none of its processes behind."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import BinaryIO, NoReturn

from stringd.plugin.processes import ProgramPipes, piped_program_of
from stringd.plugin.text import printable
from stringd_runs.model_provider import ProviderFailed

MOST_OUTPUT = 16 * 1024 * 1024
_PIECE = 64 * 1024
_MOST_ERRORS = 4096
_MOST_SHOWN = 500


async def program_stream(
    command: Sequence[str], *, directory: Path, environment: Mapping[str, str], given: bytes
) -> AsyncGenerator[bytes, None]:
    """Yield what a program prints for what it is given; raise `ProviderFailed` unless it ends with status 0.

    It ends, with all processes that it has started, when the iterator is closed or the daemon ends.
    """
    async with AsyncExitStack() as stack:
        program = await _start(command, directory, environment, given, stack)
        said = asyncio.ensure_future(_tail(program.stderr))
        stack.callback(said.cancel)
        size = 0
        while piece := await program.stdout.read(_PIECE):
            size += len(piece)
            if size > MOST_OUTPUT:
                _fail(command, f"has printed more than {MOST_OUTPUT // 1024 // 1024} MiB")
            yield piece
        end = await program.end()
        if "error" in end:
            _fail(command, f"cannot be started: {end['error']}")
        if end.get("status") != 0:
            shown = f": {text}" if (text := await said) else ""
            how = f"has ended with status {end['status']}" if "status" in end else "was killed"
            _fail(command, how + shown)


async def _start(
    command: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    given: bytes,
    stack: AsyncExitStack,
) -> ProgramPipes:
    try:
        stdin = _file_of(given)
        running = piped_program_of(command, directory=directory, environment=environment, stdin=stdin)
        return await stack.enter_async_context(running)
    except OSError as error:
        _fail(command, f"cannot be started: {error.strerror}")


def _fail(command: Sequence[str], reason: str) -> NoReturn:
    raise ProviderFailed(f"the program {printable(command[0])} {reason}")


def _file_of(data: bytes) -> BinaryIO:
    """Return a file in memory, which a program need not read."""
    file = os.fdopen(os.memfd_create("prompt"), "w+b")
    file.write(data)
    file.seek(0)
    return file


async def _tail(errors: asyncio.StreamReader) -> str:
    """Return the end of what a program prints as errors, on one line."""
    tail = b""
    while piece := await errors.read(_PIECE):
        tail = (tail + piece)[-_MOST_ERRORS:]
    text = "".join(it if it.isprintable() else " " for it in tail.decode(errors="replace"))
    return " ".join(text.split())[-_MOST_SHOWN:]
