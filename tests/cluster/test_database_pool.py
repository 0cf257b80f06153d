"""Connections to the database bear the name of the present lease, by which a later owner ends them."""

from __future__ import annotations

import asyncio

import pytest

from stringd_cluster.engine.database_pool import ConnectionPool, application_name

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
