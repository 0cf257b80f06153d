"""Speak to a server over the standard streams of its program: one JSON-RPC message, or a batch, a line.

This module imports the SDK: import it only when a server is needed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types.jsonrpc import jsonrpc_message_adapter

from stringd.plugin.processes import ProgramPipes, piped_program_of, write_pipe
from stringd_mcp.connections.server_log import ServerLog

LONGEST_MESSAGE = 10 * 1024 * 1024
MOST_A_SECOND = 500
"""How many messages are read in a second: a flood waits in the pipe of the program that sends it."""
_PIECE = 64 * 1024
_PATIENCE = 2.0
_SHOWN = 200

Streams: TypeAlias = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]


@asynccontextmanager
async def program_streams(
    command: Sequence[str], *, directory: Path, environment: Mapping[str, str], log: ServerLog
) -> AsyncIterator[Streams]:
    """Run a program and yield the streams of its messages; both end when it ends."""
    async with AsyncExitStack() as stack:
        writer, stdin = await stack.enter_async_context(write_pipe())
        program = await stack.enter_async_context(
            piped_program_of(command, directory=directory, environment=environment, stdin=stdin)
        )
        received, receive = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        send, sent = anyio.create_memory_object_stream[SessionMessage](0)
        ended = asyncio.ensure_future(_note_end(program, log))
        reading = asyncio.ensure_future(_receive(program, receive=received, log=log))
        errors = asyncio.ensure_future(_keep_errors(program, log))
        sending = asyncio.ensure_future(_send(writer, sent))
        # The program sees the end of its input and may exit by itself before it is ended.
        stack.push_async_callback(_stop, (reading, errors, sending), ended, writer)
        stack.callback(_keep_reason, reading, log)
        with received, receive, send, sent:
            yield receive, send


async def _stop(
    tasks: Iterable[asyncio.Future[None]], ended: asyncio.Future[None], writer: asyncio.StreamWriter
) -> None:
    writer.close()
    await asyncio.wait({ended}, timeout=_PATIENCE)
    for task in (*tasks, ended):
        task.cancel()
    await asyncio.wait({*tasks, ended})


def _keep_reason(reading: asyncio.Future[None], log: ServerLog) -> None:
    """Let the end of the program count as the reason only if it has ended its output by itself."""
    if not reading.done():
        log.stop()


async def _note_end(program: ProgramPipes, log: ServerLog) -> None:
    end = await program.end()
    if "error" in end:
        log.end(f"it cannot be started: {end['error']}")
    else:
        log.exit(f"it has ended with status {end['status']}" if "status" in end else "it was killed")


async def _keep_errors(program: ProgramPipes, log: ServerLog) -> None:
    while piece := await program.stderr.read(_PIECE):
        log.write(piece)


async def _send(writer: asyncio.StreamWriter, sent: MemoryObjectReceiveStream[SessionMessage]) -> None:
    # A program that has gone is noticed by the end of its output.
    with contextlib.suppress(OSError):
        async for message in sent:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            writer.write(text.encode() + b"\n")
            await writer.drain()


async def _receive(
    program: ProgramPipes, *, receive: MemoryObjectSendStream[SessionMessage | Exception], log: ServerLog
) -> None:
    """Pass on messages until the program ends or sends one that is too long; then close the stream."""
    began, count = 0.0, 0
    loop = asyncio.get_running_loop()
    with receive, contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async for line in _lines(program.stdout, log):
            for message in _messages(line, log):
                await receive.send(message)
                if loop.time() - began > 1:
                    began, count = loop.time(), 0
                count += 1
                if count >= MOST_A_SECOND:
                    await asyncio.sleep(began + 1 - loop.time())


async def _lines(stdout: asyncio.StreamReader, log: ServerLog) -> AsyncIterator[bytes]:
    rest = bytearray()
    while piece := await stdout.read(_PIECE):
        start = len(rest)
        rest += piece
        while (end := rest.find(b"\n", start)) >= 0:
            yield bytes(rest[:end])
            del rest[: end + 1]
            start = 0
        if len(rest) > LONGEST_MESSAGE:
            log.end(f"it sent a message of more than {LONGEST_MESSAGE // 1024 // 1024} MiB")
            return


def _messages(line: bytes, log: ServerLog) -> Iterable[SessionMessage]:
    """Return the messages of a line; what is none, such as a log on standard output, is noted and ignored."""
    text = line.strip()
    if not text:
        return
    for one in _batch(text) if text.startswith(b"[") else (text,):
        try:
            yield SessionMessage(jsonrpc_message_adapter.validate_json(one, by_name=False))
        except ValueError:
            log.note(f"stdout, no message: {one[:_SHOWN].decode(errors='replace')}")


def _batch(text: bytes) -> Sequence[bytes]:
    """Return the messages of a batch, as revision 2025-03-26 has them; the text itself if it is none."""
    import orjson

    try:
        read = orjson.loads(text)
    except ValueError:
        return (text,)
    return [orjson.dumps(it) for it in read]
