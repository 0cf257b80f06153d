"""Run a program for its output, under a supervisor that leaves none of its processes behind."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import BinaryIO, NoReturn

from stringd.plugin.processes import MessageSocket, start_supervisor
from stringd.plugin.text import printable
from stringd_runs.model_provider import ProviderFailed
from stringd_runs.providers import supervised_program

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
    order = {"command": command, "directory": str(directory), "environment": environment}
    async with AsyncExitStack() as stack:
        try:
            control, output, errors = await _start(order, given, stack)
        except OSError as error:
            _fail(command, f"cannot be started: {error.strerror}")
        said = asyncio.ensure_future(_tail(errors))
        stack.callback(said.cancel)
        size = 0
        while piece := await output.read(_PIECE):
            size += len(piece)
            if size > MOST_OUTPUT:
                _fail(command, f"has printed more than {MOST_OUTPUT // 1024 // 1024} MiB")
            yield piece
        end = await _last_message(control)
        if "error" in end:
            _fail(command, f"cannot be started: {end['error']}")
        if end.get("status") != 0:
            shown = f": {text}" if (text := await said) else ""
            how = f"has ended with status {end['status']}" if "status" in end else "was killed"
            _fail(command, how + shown)


async def _start(
    order: Mapping[str, object], given: bytes, stack: AsyncExitStack
) -> tuple[MessageSocket, asyncio.StreamReader, asyncio.StreamReader]:
    """Have a supervisor start a program; return the connection to it, and what the program prints."""
    control, theirs = MessageSocket.pair()
    stack.callback(control.close)
    with theirs.socket, _file_of(given) as stdin:
        output, stdout = await stack.enter_async_context(_pipe())
        errors, stderr = await stack.enter_async_context(_pipe())
        with stdout, stderr:
            stack.callback(_reap, start_supervisor(supervised_program, theirs, {}))
            control.send(order, [it.fileno() for it in (stdin, stdout, stderr)])
    return control, output, errors


def _fail(command: Sequence[str], reason: str) -> NoReturn:
    raise ProviderFailed(f"the program {printable(command[0])} {reason}")


def _file_of(data: bytes) -> BinaryIO:
    """Return a file in memory, which a program need not read."""
    file = os.fdopen(os.memfd_create("prompt"), "w+b")
    file.write(data)
    file.seek(0)
    return file


@asynccontextmanager
async def _pipe() -> AsyncIterator[tuple[asyncio.StreamReader, BinaryIO]]:
    """Return a reader and what to write to, which the caller may close earlier."""
    ours, theirs = os.pipe()
    pipe = os.fdopen(ours, "rb", 0)
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    with os.fdopen(theirs, "wb", 0) as writable:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, pipe)
        try:
            yield reader, writable
        finally:
            transport.close()


async def _tail(errors: asyncio.StreamReader) -> str:
    """Return the end of what a program prints as errors, on one line."""
    tail = b""
    while piece := await errors.read(_PIECE):
        tail = (tail + piece)[-_MOST_ERRORS:]
    text = "".join(it if it.isprintable() else " " for it in tail.decode(errors="replace"))
    return " ".join(text.split())[-_MOST_SHOWN:]


async def _last_message(control: MessageSocket) -> Mapping[str, object]:
    """Return how the program has ended; nothing if its supervisor was killed."""
    loop = asyncio.get_running_loop()
    arrived = asyncio.Event()
    loop.add_reader(control.fileno(), arrived.set)
    try:
        await arrived.wait()
    finally:
        loop.remove_reader(control.fileno())
    message = control.receive()
    return message.fields if message else {}


def _reap(supervisor: subprocess.Popen[bytes]) -> None:
    """Have a thread wait for the end of a supervisor, which may take a moment."""
    asyncio.get_running_loop().run_in_executor(None, supervisor.wait)
