"""Hundreds of readers of one run, half of which do not read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedError

from bench.memory import memory_of
from stringd.testing.process import DaemonProcess
from tests.runs.clients import ENDS, PATIENCE, run_client
from tests.runs.serving.echo_strategies import write_echo

READERS = 150
RUNS = 10
MEBIBYTE = 1024


@asynccontextmanager
async def subscribed(daemon: DaemonProcess, run_id: str, count: int) -> AsyncIterator[list[ClientConnection]]:
    """Clients that follow a run."""
    url = f"ws://127.0.0.1:{daemon.port}/ws"
    async with AsyncExitStack() as stack:
        clients = []
        for _ in range(count):
            client = connect(url, compression=None, max_size=None, open_timeout=PATIENCE, close_timeout=0.1)
            clients.append(await stack.enter_async_context(client))
            await clients[-1].send(json.dumps({"type": "subscribe", "runId": run_id}))
            await clients[-1].send('{"type":"ping"}')
            assert json.loads(await clients[-1].recv())["type"] == "pong"
        yield clients


async def numbers(client: ClientConnection) -> list[int]:
    """Read a run to its end, and return the numbers of its events."""
    seen = []
    async for frame in client:
        message = json.loads(frame)
        seen.append(message["seq"])
        if message["type"] in ENDS:
            break
    return seen


@pytest.mark.long
@pytest.mark.requirement("runs.outbox.many")
@pytest.mark.timeout(180)
def test_every_reader_of_a_run_gets_everything(daemon: DaemonProcess) -> None:
    path = write_echo(daemon, "x" * 99 + " " + "word " * 20_000, chunks=40, chunkDelayMs=25)

    async def watch(run_id: str) -> list[list[int]]:
        async with (
            subscribed(daemon, run_id, READERS) as readers,
            subscribed(daemon, run_id, READERS) as silent,
        ):
            starter.send("start_run", runId=run_id)
            for other in others:
                starter.send("start_run", runId=other)
            streams = await asyncio.wait_for(asyncio.gather(*map(numbers, readers)), 120)
            assert len(silent) == READERS
            return streams

    with run_client(daemon) as starter:
        run_id = starter.prepare(path)
        others = [starter.prepare(path) for _ in range(RUNS - 1)]
        before = memory_of(daemon.process.pid).resident
        streams = asyncio.run(watch(run_id))
        ended = 0
        while ended < RUNS:
            ended += starter.receive()["type"] in ENDS
    assert streams == [list(range(1, len(streams[0]) + 1))] * READERS
    assert memory_of(daemon.process.pid).resident - before < 100 * MEBIBYTE


@pytest.mark.long
@pytest.mark.requirement("runs.outbox.many", "runs.outbox.limit")
@pytest.mark.timeout(180)
def test_readers_that_do_not_read_cost_bounded_memory(daemon: DaemonProcess) -> None:
    path = write_echo(daemon, "x" * 200_000, cycles=60)

    async def ignore(run_id: str) -> list[int | None]:
        async with subscribed(daemon, run_id, 40) as silent:
            starter.send("start_run", runId=run_id)
            await asyncio.to_thread(starter.until, *ENDS)
            grown.append(memory_of(daemon.process.pid).resident - before)
            await asyncio.wait_for(asyncio.gather(*map(drain, silent)), PATIENCE)
            return [it.close_code for it in silent]

    grown: list[int] = []
    with run_client(daemon) as starter:
        run_id = starter.prepare(path)
        before = memory_of(daemon.process.pid).resident
        codes = asyncio.run(ignore(run_id))
    assert codes == [1013] * 40
    assert grown[0] < 100 * MEBIBYTE


async def drain(client: ClientConnection) -> None:
    """Read until the daemon closes."""
    with suppress(ConnectionClosedError):
        async for _ in client:
            pass
