"""The tables of a cluster, and the tokens in it, for tests of who may use it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

from stringd.plugin import StorageFailed
from stringd_cluster.access.scopes import Scope
from stringd_cluster.access.stored_tokens import revoke_tokens, store_token
from stringd_cluster.access.token_table import TokenTable
from stringd_cluster.access.tokens import NewToken
from stringd_cluster.engine.cluster_schema import create_schema
from stringd_cluster.engine.database_pool import ConnectionPool, connect
from stringd_cluster.engine.notifications import Notifications


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a test in an event loop, for at most half a minute."""
    asyncio.run(asyncio.wait_for(test(), 30))


async def make_tables(url: str) -> None:
    """Create the tables."""
    connection = await connect(url)
    await create_schema(connection)
    await connection.close()


class Tables:
    """The pool and the notifications of a node, and a clock that tests can set."""

    def __init__(self, url: str, pool: ConnectionPool, notifications: Notifications) -> None:
        self.url = url
        self.pool = pool
        self.notifications = notifications
        self.now = 1000.0
        self.queries = 0
        self.is_reachable = True

    def table(self) -> TokenTable:
        """Return a table of tokens that counts its queries."""
        return TokenTable(self, self.notifications, clock=lambda: self.now)

    async def fetch(self, statement: str, *values: object) -> Any:
        """Count a query, which fails while the database can't be reached."""
        self.queries += 1
        if not self.is_reachable:
            raise StorageFailed("the database can't be reached")
        return await self.pool.fetch(statement, *values)

    async def token(
        self, user: str = "ann", *scopes: Scope, expiry: timedelta | datetime | None = None
    ) -> NewToken:
        """Store a token."""
        token = NewToken(user_id=user, scopes=frozenset(scopes or {Scope.EXEC}), expiry=expiry)
        async with self.pool.transaction() as connection:
            await store_token(connection, token)
        return token

    async def revoke(self, token: NewToken) -> None:
        """Revoke a token as `stringd token` does."""
        async with self.pool.transaction() as connection:
            assert await revoke_tokens(connection, token.id, None) == [token.id]


@asynccontextmanager
async def tables(url: str) -> AsyncIterator[Tables]:
    """Make the tables, and connect to them as a node does; nothing is listened to before `listening`."""
    await make_tables(url)
    pool = ConnectionPool(url, stale_seconds=10)
    await pool.open("test")
    try:
        yield Tables(url, pool, Notifications(url))
    finally:
        pool.terminate()


@asynccontextmanager
async def listening(notifications: Notifications) -> AsyncIterator[None]:
    """Deliver notifications; begin once the first ones have arrived."""
    ready = asyncio.Event()
    notifications.listen("stringd_tokens", lambda _: ready.set())
    task = asyncio.create_task(notifications.run())
    try:
        await ready.wait()
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
