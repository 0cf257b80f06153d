"""`python -m bench.stream_readers COUNT REQUEST`: read so many streams until standard input is closed."""

from __future__ import annotations

import asyncio
import json
import sys

import uvloop


async def read(count: int, request: dict[str, str]) -> None:
    """Read streams, and say when all have begun."""
    streams = [await _stream(request) for _ in range(count)]
    for reader, _ in streams:
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head:
            raise RuntimeError(f"no stream: {head!r}")
    reading = [asyncio.create_task(_read_all(reader)) for reader, _ in streams]
    print("reading", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for task in reading:
        task.cancel()


async def _stream(request: dict[str, str]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(request["port"]))
    lines = "".join(f"{name}: {value}\r\n" for name, value in request.items() if name not in {"path", "port"})
    writer.write(f"GET {request['path']} HTTP/1.1\r\n{lines}\r\n".encode())
    return reader, writer


async def _read_all(reader: asyncio.StreamReader) -> None:
    while await reader.read(1 << 20):
        pass


if __name__ == "__main__":
    uvloop.run(read(int(sys.argv[1]), json.loads(sys.argv[2])))
