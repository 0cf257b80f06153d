"""Connections to peers that reset them at once: only they are closed."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import aiohttp
import pytest
import uvloop

from stringd_cluster.hop.peer_connector import PeerConnector
from tests.cluster.cuts import Cut, Target

ATTEMPTS = 300


@contextmanager
def pipes() -> Iterator[list[int]]:
    """Return a list of descriptors, which must be open until the end."""
    opened: list[int] = []
    yield opened
    for it in opened:
        os.close(it)


@pytest.mark.requirement("cluster.hop.reset")
def test_nothing_else_is_closed_with_connections_that_are_reset(cut: Callable[[Target | None], Cut]) -> None:
    resetting = cut(None)

    async def test() -> None:
        with pipes() as opened:
            async with aiohttp.ClientSession(
                connector=PeerConnector(ssl.create_default_context())
            ) as session:
                for _ in range(ATTEMPTS):
                    with pytest.raises(OSError, match=r".*"):
                        await session.get(f"https://{resetting.address}/", server_hostname="peer")
                    opened += os.pipe()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(test())
