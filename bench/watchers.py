"""`python -m bench.watchers PORT FAST SLOW`: clients of `GET /events`, until standard input is closed.

The fast ones read whatever comes; the slow ones read 4 KiB a second.
"""

from __future__ import annotations

import asyncio
import sys

import uvloop

_REQUEST = b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
_SLOW_BYTES = 4096


async def watch(port: int, fast: int, slow: int) -> None:
    """Watch until standard input is closed, and say when all have begun."""
    watchers = [*(_read_all(port) for _ in range(fast)), *(_read_slowly(port) for _ in range(slow))]
    watching = [asyncio.create_task(it) for it in watchers]
    await asyncio.sleep(1)
    print("watching", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for task in watching:
        task.cancel()


async def _read_all(port: int) -> None:
    reader = await _stream(port)
    while await reader.read(1 << 20):
        pass


async def _read_slowly(port: int) -> None:
    reader = await _stream(port)
    reading = True
    while reading:
        reading = bool(await reader.read(_SLOW_BYTES))
        await asyncio.sleep(1)


async def _stream(port: int) -> asyncio.StreamReader:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=_SLOW_BYTES)
    writer.write(_REQUEST)
    # The connection lives as long as its reader.
    vars(reader)["writer"] = writer
    return reader


if __name__ == "__main__":
    uvloop.run(watch(*map(int, sys.argv[1:4])))
