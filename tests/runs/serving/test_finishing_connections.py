"""The end of a connection when the daemon stops: what waits is sent first, as far as the client reads it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from stringd.plugin import Disconnected
from stringd_runs.serving.run_connection import RunConnection
from stringd_runs.serving.run_outbox import RunOutbox
from stringd_runs.serving.text_socket import CloseCode, TextSocket

MESSAGES = [b"%d" % number + b" " * 40_000 for number in range(20)]


class SlowSocket:
    """A socket whose client reads a batch whenever it may."""

    def __init__(self, *, reads: bool) -> None:
        self.sent: list[bytes] = []
        self.closed: asyncio.Future[CloseCode] = asyncio.get_running_loop().create_future()
        self._reads = reads

    async def accept(self) -> None:
        """Accept at once."""

    async def receive(self) -> str | None:
        await self.closed
        return None

    async def send(self, texts: Sequence[bytes]) -> None:
        for _ in range(5):
            await asyncio.sleep(0)
        if not self._reads:
            await asyncio.shield(self.closed)
        self.sent += texts

    async def close(self, code: CloseCode, reason: str) -> None:
        self.closed.set_result(code)


@pytest.mark.requirement("runs.socket.shutdown")
@pytest.mark.parametrize("reads", [True, False])
def test_what_waits_is_sent_before_the_connection_is_closed(*, reads: bool) -> None:
    async def check() -> None:
        socket, outboxes = SlowSocket(reads=reads), []

        def client(outbox: RunOutbox, _: Disconnected) -> Any:
            outboxes.append(outbox)
            return SimpleNamespace(runs=SimpleNamespace(forget_subscriber=lambda _: None))

        connection = RunConnection(cast(TextSocket, socket), client, is_operator=False)
        serving = asyncio.create_task(connection.serve())
        await asyncio.sleep(0)
        for message in MESSAGES:
            outboxes[0].put(message)
        await connection.finish(10 if reads else 0.01)
        assert socket.sent == (MESSAGES if reads else [])
        assert await socket.closed is CloseCode.GOING_AWAY
        await serving

    asyncio.run(asyncio.wait_for(check(), 20))
