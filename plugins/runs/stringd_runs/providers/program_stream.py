"""Run a program for its output, supervised: whatever happens, nothing of it is left."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NoReturn

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
        control, theirs = MessageSocket.pair()
        stack.callback(control.close)
        (output, stdout), (errors, stderr) = [await stack.enter_async_context(_pipe()) for _ in range(2)]
        stdin = _file_of(given)
        try:
            with theirs.socket:
                supervisor = start_supervisor(supervised_program, theirs, {})
            stack.callback(_reap, supervisor)
            control.send(order, [stdin, stdout, stderr])
        except OSError as error:
            _fail(command, f"cannot be started: {error.strerror}")
        finally:
            for descriptor in (stdin, stdout, stderr):
                os.close(descriptor)
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


def _fail(command: Sequence[str], reason: str) -> NoReturn:
    raise ProviderFailed(f"the program {printable(command[0])} {reason}")


def _file_of(data: bytes) -> int:
    """Return the descriptor of a file in memory, which a program need not read."""
    descriptor = os.memfd_create("prompt")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


@asynccontextmanager
async def _pipe() -> AsyncIterator[tuple[asyncio.StreamReader, int]]:
    """Return a reader and the descriptor to write to, which the caller closes."""
    ours, theirs = os.pipe()
    pipe = os.fdopen(ours, "rb", 0)
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, pipe)
    try:
        yield reader, theirs
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
