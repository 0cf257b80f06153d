"""Connections to the database bear the name of the present lease, by which a later owner ends them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest

from stringd.plugin import StorageFailed
from stringd_cluster.engine.database_pool import ConnectionPool, application_name
from tests.cluster.cuts import Cut, Direction, Target
from tests.cluster.engine import Engine

SECONDS = 0.2
_NAMES = "SELECT current_setting('application_name') AS name"


@pytest.mark.requirement("cluster.homes.ended_connections")
def test_connections_that_were_opened_between_two_leases_are_not_those_of_the_next(database: str) -> None:
    async def names() -> list[str]:
        pool = ConnectionPool(database, stale_seconds=10)
        try:
            await pool.open("one-1")
            pool.terminate()
            between = await pool.fetchrow(_NAMES)
            await pool.open("one-2")
            return [it["name"] for it in (between, await pool.fetchrow(_NAMES))]
        finally:
            pool.terminate()

    assert asyncio.run(names()) == [application_name("one-1"), application_name("one-2")]


@pytest.mark.requirement("cluster.lease.deadline")
def test_a_statement_whose_answer_comes_as_the_pool_is_terminated_fails(
    database: str, postgres: Engine, cut: Callable[[Target], Cut]
) -> None:
    proxy = cut(postgres.socket)

    async def test() -> None:
        pool = ConnectionPool(postgres.url(urlsplit(database).path[1:], proxy.address), stale_seconds=10)
        await pool.open("one-1")
        proxy.drop(Direction.BACK)
        running = asyncio.ensure_future(pool.execute("SELECT $1::int", 1))
        await asyncio.sleep(SECONDS)
        asyncio.get_running_loop().call_later(SECONDS, pool.terminate)
        proxy.heal()
        time.sleep(2 * SECONDS)  # noqa: ASYNC251 - both happen while the event loop stands still
        with pytest.raises(StorageFailed):
            await running

    asyncio.run(test())
