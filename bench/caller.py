"""`python -m bench.caller URL CONNECTIONS SECONDS`: measure a bare HTTP client that repeats one call.

It prints the calls per second, and the processor time per call in seconds.
"""

from __future__ import annotations

import asyncio
import sys
import time

import httpx
import uvloop


async def calls(url: str, connections: int, seconds: float) -> tuple[float, float]:
    """Return both figures for a number of concurrent calls, without the warm-up."""
    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=connections)) as client:
        await _calls(client, url, connections, seconds / 4)
        start, busy_from = time.perf_counter(), time.process_time()
        made = await _calls(client, url, connections, seconds)
        return made / (time.perf_counter() - start), (time.process_time() - busy_from) / made


async def _calls(client: httpx.AsyncClient, url: str, connections: int, seconds: float) -> int:
    deadline = time.perf_counter() + seconds
    return sum(await asyncio.gather(*(_repeat(client, url, deadline) for _ in range(connections))))


async def _repeat(client: httpx.AsyncClient, url: str, deadline: float) -> int:
    made = 0
    while time.perf_counter() < deadline:
        (await client.post(url, json={"n": 1})).raise_for_status().json()
        made += 1
    return made


if __name__ == "__main__":
    print(*uvloop.run(calls(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))))
