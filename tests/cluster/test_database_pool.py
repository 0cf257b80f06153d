"""Connections to the database bear the name of the present lease, by which a later owner ends them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import pytest

from stringd.plugin import StorageFailed
from stringd_cluster.engine.database_pool import MOST_CONNECTIONS, ConnectionPool, application_name
from tests.cluster.cuts import Cut, Direction, Target
from tests.cluster.engine import Engine
from tests.protocol.waits import INTERVAL, eventually

SECONDS = 0.2
_NAMES = "SELECT current_setting('application_name') AS name"
_WRITE = "INSERT INTO public.written VALUES ($1)"
_READ = "SELECT it FROM public.written"
_END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'stringd one-1'"
_END_OF_ITS_OWN = "SELECT nextval('public.runs'), pg_terminate_backend(pg_backend_pid()), $1::int"


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


async def write(pool: ConnectionPool) -> None:
    """Write what is read later."""
    await pool.execute(_WRITE, 2)


async def write_in_transaction(pool: ConnectionPool) -> None:
    """Write the same in a transaction."""
    async with pool.transaction() as connection:
        await connection.execute(_WRITE, 2)


async def read_and_write(pool: ConnectionPool) -> None:
    """Write the same after a statement that only reads."""
    assert [it["it"] for it in await pool.fetch(_READ)] == [1]
    await write(pool)


@pytest.mark.requirement("cluster.database.repeats")
@pytest.mark.parametrize("use", [write, write_in_transaction, read_and_write])
def test_what_was_not_sent_is_run_on_another_connection(
    database: str,
    postgres: Engine,
    cut: Callable[[Target], Cut],
    use: Callable[[ConnectionPool], Awaitable[None]],
) -> None:
    proxy = cut(postgres.socket)
    name = urlsplit(database).path[1:]
    postgres.sql("CREATE TABLE written (it int)", database=name)

    async def test() -> None:
        pool = ConnectionPool(postgres.url(name, proxy.address), stale_seconds=10)
        try:
            await pool.open("one-1")
            # What is prepared need not be asked for again: the statement itself is the next to be sent.
            await pool.execute(_WRITE, 1)
            await pool.fetch(_READ)
            # The server ends the connection while it is idle; that is read, but it is not closed yet.
            proxy.hide_ends()
            postgres.sql(_END, database=name)
            eventually(lambda: proxy.hidden_ends)
            await asyncio.sleep(INTERVAL)
            await use(pool)
        finally:
            pool.terminate()

    asyncio.run(test())
    assert postgres.sql(_READ, database=name).split() == ["1", "2"]


@pytest.mark.requirement("cluster.database.repeats")
@pytest.mark.parametrize(("reads", "runs"), [(True, MOST_CONNECTIONS + 1), (False, 1)])
def test_what_may_be_written_is_not_repeated_and_reads_are_a_few_times(
    database: str, postgres: Engine, *, reads: bool, runs: int
) -> None:
    name = urlsplit(database).path[1:]
    postgres.sql("CREATE SEQUENCE runs", database=name)

    async def test() -> None:
        pool = ConnectionPool(database, stale_seconds=10)
        await pool.open("one-1")
        try:
            with pytest.raises(StorageFailed, match="terminat"):
                await (pool.fetch if reads else pool.execute)(_END_OF_ITS_OWN, 1)
        finally:
            pool.terminate()

    asyncio.run(test())
    assert postgres.sql("SELECT last_value FROM runs", database=name) == str(runs)
