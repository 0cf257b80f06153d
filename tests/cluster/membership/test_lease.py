"""The lease of a node, with a real database behind a proxy that can be cut."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest

from stringd.plugin.processes import clear_deadline
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.membership.boot_clock import boot_time
from stringd_cluster.membership.lease import Lease, LeaseLost
from stringd_cluster.membership.live_nodes import Node, end_expired, join, live_nodes
from tests.cluster.cuts import Cut, Direction, Target
from tests.cluster.engine import Engine
from tests.cluster.homes.home_tables import claimers, run

SECONDS = 1.0
_LEFT = 'SELECT extract(epoch FROM expires - clock_timestamp())::float8 AS "left" FROM nodes'


@asynccontextmanager
async def _leased(url: str, way: str) -> AsyncIterator[tuple[Lease, ConnectionPool]]:
    """Join a node whose lease is renewed over another way than the one by which the test looks."""
    async with claimers(url):
        pool = ConnectionPool(url, stale_seconds=10)
        await pool.open("observer")
        lease = Lease(way, "n-1", SECONDS, lambda nodes: None)
        sent = boot_time()
        node = Node(id="n-1", name="n", address="", labels=frozenset(), is_draining=False)
        await join(pool, node, "1", SECONDS)
        lease.begin(sent)
        try:
            yield lease, pool
        finally:
            lease.end()
            clear_deadline()
            pool.terminate()


@pytest.mark.requirement("cluster.lease.renewed")
def test_a_lease_is_renewed_four_times_in_its_length(database: str) -> None:
    async def test() -> None:
        async with _leased(database, database) as (lease, pool):
            holding = asyncio.ensure_future(lease.hold())
            least = SECONDS
            for _ in range(40):
                await asyncio.sleep(SECONDS / 20)
                assert lease.is_valid()
                least = min(least, lease.left)
                assert list(await live_nodes(pool)) == ["n-1"]
            assert least > SECONDS / 3
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)

    run(test)


@pytest.mark.requirement("cluster.lease.deadline")
@pytest.mark.parametrize("how", ["silent", "refused"])
def test_a_lease_ends_here_before_others_may_take_over(
    how: str, database: str, postgres: Engine, cut: Callable[[Target], Cut]
) -> None:
    async def test() -> None:
        proxy = cut(postgres.socket)
        way = postgres.url(urlsplit(database).path[1:], proxy.address)
        async with _leased(database, way) as (lease, pool):
            holding = asyncio.ensure_future(lease.hold())
            await asyncio.sleep(SECONDS)
            assert lease.is_valid()
            if how == "silent":
                proxy.drop()
            else:
                proxy.refuse()
                proxy.reset()
            deadline = 0.0
            while not holding.done():
                deadline = max(deadline, boot_time() + lease.left)
                await asyncio.sleep(SECONDS / 50)
            with pytest.raises(LeaseLost):
                holding.result()
            assert not lease.is_valid()
            assert boot_time() - deadline < SECONDS
            (row,) = await pool.fetch(_LEFT)
            # A tenth of the length is left for clocks that run apart.
            assert deadline < boot_time() + row["left"] - SECONDS / 20

    run(test)


@pytest.mark.long
@pytest.mark.requirement("cluster.lease.deadline")
def test_an_answer_that_comes_as_its_time_ends_is_no_failure(
    database: str, postgres: Engine, cut: Callable[[Target], Cut]
) -> None:
    async def test() -> None:
        proxy = cut(postgres.socket)
        way = postgres.url(urlsplit(database).path[1:], proxy.address)
        async with _leased(database, way) as (lease, _):
            holding = asyncio.ensure_future(lease.hold())
            before = lease.left
            while lease.left <= before:
                before = lease.left
                await asyncio.sleep(SECONDS / 100)
            proxy.drop(Direction.BACK)
            # The next renewal is sent after a quarter, and given up after a half.
            await asyncio.sleep(0.35 * SECONDS)
            proxy.heal()
            time.sleep(0.25 * SECONDS)  # noqa: ASYNC251 - both happen while the event loop stands still
            await asyncio.wait((holding,), timeout=SECONDS / 2)
            holding.cancel()
            (failure,) = await asyncio.gather(holding, return_exceptions=True)
            assert isinstance(failure, LeaseLost | asyncio.CancelledError), failure

    run(test)


@pytest.mark.requirement("cluster.lease.expired")
def test_a_lease_that_the_database_let_expire_is_not_renewed(database: str) -> None:
    async def test() -> None:
        async with _leased(database, database) as (lease, pool):
            await pool.execute("UPDATE nodes SET expires = clock_timestamp() - interval '1 second'")
            assert await end_expired(pool, "n-1")
            started = boot_time()
            with pytest.raises(LeaseLost):
                await asyncio.wait_for(lease.hold(), 2 * SECONDS)
            assert boot_time() - started < SECONDS / 2
            # The id has ended for good.
            await pool.execute("UPDATE nodes SET expires = clock_timestamp() + interval '1 minute'")
            assert await live_nodes(pool) == {}

    run(test)


@pytest.mark.requirement("cluster.lease.paused")
def test_a_process_that_was_paused_knows_at_once_that_its_lease_is_over(database: str) -> None:
    async def test() -> None:
        async with _leased(database, database) as (lease, _):
            # Nothing renews it meanwhile, as in a process that does not run.
            until = boot_time() + SECONDS
            while boot_time() < until:
                await asyncio.sleep(SECONDS / 20)
            assert not lease.is_valid()
            assert lease.left < 0

    run(test)
