"""Run a program with pipes to its standard streams, under a supervisor that leaves none of its processes."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from stringd.processes import piped_program
from stringd.processes.helper_process import start_supervisor
from stringd.processes.packets import MessageSocket


class ProgramPipes(Struct, frozen=True, kw_only=True):
    """What a running program prints, and how it ends."""

    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader
    control: MessageSocket

    async def end(self) -> Mapping[str, object]:
        """Wait for the end; return its `status`, an `error` that kept it from starting, or nothing if killed.

        It may be awaited once.
        """
        loop = asyncio.get_running_loop()
        arrived = asyncio.Event()
        loop.add_reader(self.control.fileno(), arrived.set)
        try:
            await arrived.wait()
        finally:
            loop.remove_reader(self.control.fileno())
        message = self.control.receive()
        return message.fields if message else {}


@asynccontextmanager
async def piped_program_of(
    command: Sequence[str], *, directory: Path, environment: Mapping[str, str], stdin: BinaryIO
) -> AsyncIterator[ProgramPipes]:
    """Start a program that reads `stdin`, which is closed here; raise `OSError` if that is impossible.

    All processes that it has started end with the context, and with the daemon.
    """
    order = {"command": list(command), "directory": str(directory), "environment": dict(environment)}
    async with AsyncExitStack() as stack:
        with stdin:
            control, theirs = MessageSocket.pair()
            stack.callback(control.close)
            with theirs.socket:
                stdout, stdout_end = await stack.enter_async_context(_read_pipe())
                stderr, stderr_end = await stack.enter_async_context(_read_pipe())
                with stdout_end, stderr_end:
                    stack.callback(_reap, start_supervisor(piped_program, theirs, {}))
                    control.send(order, [it.fileno() for it in (stdin, stdout_end, stderr_end)])
        yield ProgramPipes(stdout=stdout, stderr=stderr, control=control)


@asynccontextmanager
async def write_pipe() -> AsyncIterator[tuple[asyncio.StreamWriter, BinaryIO]]:
    """Return a writer and what reads it, such as the `stdin` of a program."""
    theirs, ours = os.pipe()
    loop = asyncio.get_running_loop()
    with os.fdopen(theirs, "rb", 0) as readable:
        reader = asyncio.StreamReader()
        transport, protocol = await loop.connect_write_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), _of_loop(ours, "wb")
        )
        try:
            yield asyncio.StreamWriter(transport, protocol, reader, loop), readable
        finally:
            transport.close()


@asynccontextmanager
async def _read_pipe() -> AsyncIterator[tuple[asyncio.StreamReader, BinaryIO]]:
    """Return a reader and what to write to, which the caller may close earlier."""
    ours, theirs = os.pipe()
    pipe = _of_loop(ours, "rb")
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    with os.fdopen(theirs, "wb", 0) as writable:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, pipe)
        try:
            yield reader, writable
        finally:
            transport.close()


def _of_loop(descriptor: int, mode: str) -> FileIO:
    """Return a file for a transport of the running loop.

    uvloop closes the descriptor, and the file afterwards: by then, a thread may have opened another file with
    the same number.
    """
    # Imported here: supervisors import this module, too, and have no loop.
    from uvloop import Loop

    closes_descriptors = isinstance(asyncio.get_running_loop(), Loop)
    return FileIO(descriptor, mode, closefd=not closes_descriptors)


def _reap(supervisor: subprocess.Popen[bytes]) -> None:
    """Have a thread wait for the end of a supervisor, which may take a moment."""
    asyncio.get_running_loop().run_in_executor(None, supervisor.wait)
