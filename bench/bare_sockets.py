"""`python -m bench.bare_sockets MESSAGES`: the reference of the events of runs.

A server of the package `websockets` broadcasts recorded messages when a client sends something: one after the
other, as a run reports them.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import uvloop
from websockets.asyncio.server import ServerConnection, broadcast, serve


async def fan_out(messages: list[str]) -> None:
    """Serve until SIGTERM."""
    clients: set[ServerConnection] = set()

    async def handle(client: ServerConnection) -> None:
        clients.add(client)
        async for _ in client:
            for message in messages:
                broadcast(clients - {client}, message)
                await asyncio.sleep(0)

    # The readers that are measured answer no pings.
    async with serve(handle, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        print(f"fan-out listening on http://127.0.0.1:{port}", file=sys.stderr, flush=True)
        stopped = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
        await stopped.wait()


if __name__ == "__main__":
    uvloop.run(fan_out(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
