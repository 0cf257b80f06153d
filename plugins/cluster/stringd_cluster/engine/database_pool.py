"""Connections to the database, which can be dropped all at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any

import asyncpg
from asyncpg.protocol import Protocol

from stringd.plugin import StorageFailed
from stringd_cluster.engine.cluster_schema import SCHEMA

# What it reports with tracebacks, each use of the pool reports with a line.
logging.getLogger("asyncpg.pool").setLevel(logging.CRITICAL)

MOST_CONNECTIONS = 10
# Each connection that was idle may have ended.
_MOST_ATTEMPTS = MOST_CONNECTIONS + 1
CONNECT_SECONDS = 5.0
_APPLICATION = "stringd "
# PostgreSQL cuts what is longer.
_LONGEST_NAME = 63
FAILURES = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    TimeoutError,
)
"""What asyncpg raises if the database refuses, can't be reached, or ends a connection in use."""
_PASSING = (
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.TooManyConnectionsError,
    OSError,
    TimeoutError,
)


@contextmanager
def ended_in_use() -> Iterator[None]:
    """Raise one of `FAILURES` if a connection was terminated in a statement, as asyncpg itself does not.

    A connection without a protocol has none of its methods.
    """
    try:
        yield
    except AttributeError as error:
        if error.obj is None and hasattr(Protocol, error.name or ""):
            raise asyncpg.InterfaceError("the connection was terminated") from error
        raise


def is_passing(failure: StorageFailed) -> bool:
    """Whether the database could not be reached, so that the same may succeed later, or even has."""
    return _has_ended(failure.__cause__)


def application_name(node_id: str) -> str:
    """Return the name under which the database lists the connections of a node; ids differ at their ends."""
    return f"{_APPLICATION}{node_id[len(_APPLICATION) - _LONGEST_NAME :]}"


async def connect(url: str, name: str = "", *, stale_seconds: float = 0) -> Any:
    """Open a connection of its own; raise one of `FAILURES`.

    A transaction that stands still for `stale_seconds` is ended by the server, with the locks that it holds.
    """
    return await asyncpg.connect(
        url, timeout=CONNECT_SECONDS, server_settings=_server_settings(name, stale_seconds)
    )


class ConnectionPool:
    """A bounded number of connections; after `terminate`, they are opened anew under another name."""

    def __init__(self, url: str, *, stale_seconds: float) -> None:
        self._url = url
        self._stale_seconds = stale_seconds
        self._name = ""
        self._pool: Any = None
        self._has_name = asyncio.Event()
        self._opening = asyncio.Lock()

    async def open(self, name: str) -> None:
        """Open the first connection under the name of a node, for which all wait; raise `StorageFailed`."""
        self._name = name
        self._has_name.set()
        with _reported():
            async with self._opening:
                if self._pool is not None:
                    # Whatever was asked between two leases has opened connections under the name before.
                    self._pool.set_connect_args(self._url, **self._arguments())
                    await self._pool.expire_connections()
            await self._ready()

    def terminate(self) -> None:
        """Drop all connections without waiting for the server, also those in use."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.terminate()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Any]:
        """Run statements together; raise `StorageFailed` if the database fails, and nothing is written."""
        with _reported():
            async with AsyncExitStack() as stack:

                async def begin(connection: Any) -> Any:
                    await stack.enter_async_context(connection.transaction())
                    return connection

                yield await self._attempt(begin, stack, writes=False)

    async def fetch(self, statement: str, *values: object) -> Sequence[Any]:
        """Run a statement that writes nothing and return its rows, or raise `StorageFailed`."""
        rows: Sequence[Any] = await self._run(lambda it: it.fetch(statement, *values), writes=False)
        return rows

    async def fetchrow(self, statement: str, *values: object) -> Any:
        """Run a statement that writes nothing and return its first row or None, or raise `StorageFailed`."""
        rows = await self.fetch(statement, *values)
        return rows[0] if rows else None

    async def execute(self, statement: str, *values: object) -> str:
        """Run a statement and return its tag, such as `UPDATE 1`, or raise `StorageFailed`."""
        tag: str = await self._run(lambda it: it.execute(statement, *values), writes=True)
        return tag

    async def _run(self, run: Callable[[Any], Awaitable[Any]], *, writes: bool) -> Any:
        with _reported():
            async with AsyncExitStack() as stack:
                return await self._attempt(run, stack, writes=writes)

    async def _attempt(
        self, run: Callable[[Any], Awaitable[Any]], stack: AsyncExitStack, *, writes: bool
    ) -> Any:
        """Run a statement on a connection that the stack returns, raising one of `FAILURES`.

        It is run again on another connection if its own had ended, unless it may have been written.
        """
        attempts_left = _MOST_ATTEMPTS
        while True:
            pool = await self._ready()
            connection = await stack.enter_async_context(pool.acquire())
            protocol = connection._protocol  # noqa: SLF001 - nothing else tells whether a statement was sent
            sent_before = protocol.queries_count
            try:
                with ended_in_use():
                    return await run(connection)
            except FAILURES as failure:
                attempts_left -= 1
                may_be_written = writes and protocol.queries_count > sent_before
                is_given_up = self._pool is not pool or not attempts_left
                if may_be_written or is_given_up or not _has_ended(failure):
                    raise
            await stack.aclose()

    async def _ready(self) -> Any:
        await self._has_name.wait()
        if self._pool is None:
            async with self._opening:
                if self._pool is None:
                    self._pool = await asyncpg.create_pool(
                        self._url,
                        min_size=1,
                        max_size=MOST_CONNECTIONS,
                        reset=_keep_settings,
                        **self._arguments(),
                    )
        return self._pool

    def _arguments(self) -> dict[str, Any]:
        """Return how each connection is opened."""
        settings = _server_settings(self._name, self._stale_seconds)
        return {"timeout": CONNECT_SECONDS, "server_settings": settings}


async def _keep_settings(connection: object) -> None:
    """Leave a connection as it is: no statement changes more than its transaction.

    By default, each use of a connection would cost a round trip more.
    """


def _has_ended(failure: BaseException | None) -> bool:
    """Whether the database could not be reached, or ended what was run."""
    return isinstance(failure, _PASSING) and not isinstance(failure, ValueError)


def _server_settings(name: str, stale_seconds: float) -> dict[str, str]:
    return {
        "application_name": application_name(name),
        "search_path": SCHEMA,
        "idle_in_transaction_session_timeout": str(int(stale_seconds * 1000)),
    }


@contextmanager
def _reported() -> Iterator[None]:
    try:
        with ended_in_use():
            yield
    except FAILURES as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise StorageFailed(f"the cluster's database can't be used: {reason}") from error
