"""Connections of subcommands to the database of the cluster, whose failures say what to do."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any, TypeVar

from stringd.plugin import Config, Fault
from stringd.plugin.cli import settings_of
from stringd_cluster.cluster_settings import ClusterSettings
from stringd_cluster.engine.database_url import UnreadableUrl, check_url, shown_url
from stringd_cluster.hop.node_folder import has_identity

T = TypeVar("T")
PLUGIN = "cluster"
_EXTRA = ("aiohttp", "asyncpg", "cryptography")
MISUSE = 2
MOST_SKEW = 60.0
_WHICH = (
    "which cluster? Give the URL of its database before the subcommand, as in "
    "`stringd --cluster postgresql://… {word}`, or in the variable STRINGD_CLUSTER_URL"
)


def connection_url(arguments: argparse.Namespace, word: str) -> str:
    """Return the URL that is set, or else that of the cluster which this data directory belongs to."""
    require_extra()
    url = configured_url(arguments.config)
    if not url:
        raise Fault(_WHICH.format(word=word), exit_code=MISUSE)
    return url


def configured_url(config: Config) -> str:
    """Return the URL that is set, or else that of the cluster of the data directory; `""` without either."""
    url = settings_of(config, PLUGIN, ClusterSettings).url
    if url or not has_identity(config.data_dir):
        return url
    require_extra()
    from stringd_cluster.hop.node_identity import NodeIdentity

    identity = NodeIdentity.load(config.data_dir)
    return identity.url if identity else ""


def require_extra() -> None:
    """Raise `Fault` if the libraries of clusters are not installed; they are not imported here."""
    for package in _EXTRA:
        if find_spec(package) is None:
            raise Fault(f"clusters need the Python package {package}: pip install 'stringd[cluster]'")


def run_with(url: str, work: Callable[[Any], Awaitable[T]]) -> T:
    """Run something with a connection to a database of a cluster whose tables are known."""
    from stringd_cluster.engine.cluster_schema import update_schema

    async def checked(connection: Any) -> T:
        await update_schema(connection)
        return await work(connection)

    return run_unchecked(url, checked)


def run_unchecked(url: str, work: Callable[[Any], Awaitable[T]]) -> T:
    """Run something with a connection to a database, whatever is in it."""
    require_extra()

    async def connected() -> T:
        async with _connection(url) as connection:
            return await work(connection)

    return asyncio.run(connected())


async def check_clock(connection: Any) -> None:
    """Raise `Fault` if the clock of this machine is far from that of the database."""
    skew = await clock_skew(connection)
    if abs(skew) > MOST_SKEW:
        which = "ahead of" if skew > 0 else "behind"
        raise Fault(
            f"the clock of this machine is {abs(skew):.0f} s {which} that of the database: "
            "certificates and tokens depend on it. Set it first, as `timedatectl set-ntp true` does"
        )


async def clock_skew(connection: Any) -> float:
    """Return by how many seconds the clock of this machine is ahead of that of the database."""
    sent = time.time()
    there: float = await connection.fetchval("SELECT extract(epoch FROM clock_timestamp())::float8")
    return (sent + time.time()) / 2 - there


@asynccontextmanager
async def _connection(url: str) -> AsyncIterator[Any]:
    from asyncpg.exceptions import ClientConfigurationError

    from stringd_cluster.engine.database_pool import FAILURES, connect

    check_url(url)
    try:
        connection = await connect(url, PLUGIN)
    except (ValueError, ClientConfigurationError):
        # Their texts may quote the password.
        raise UnreadableUrl from None
    except FAILURES as error:
        raise Fault(_why(error, url)) from None
    try:
        yield connection
        await connection.close(timeout=5)
    except FAILURES as error:
        raise Fault(_why(error, url)) from None
    finally:
        connection.terminate()


def _why(error: Exception, url: str) -> str:
    """Return what is wrong and what to do; the texts of the server never have the password."""
    import asyncpg

    where = shown_url(url)
    match error:
        case asyncpg.InvalidAuthorizationSpecificationError():
            return (
                f"{where} refuses the login ({_line(error)}): "
                "check the user in the URL, and PGPASSWORD or PGPASSFILE"
            )
        case asyncpg.InvalidCatalogNameError():
            return f"there is no database at {where}: make it, as with `createdb`"
        case asyncpg.ReadOnlySQLTransactionError():
            return f"{where} can't be written to; use the URL of the primary"
        case asyncpg.InsufficientPrivilegeError():
            return f"the user of {where} lacks a permission ({_line(error)}): make it the database's owner"
        case asyncpg.UndefinedTableError() | asyncpg.InvalidSchemaNameError():
            return f"{where} has no cluster of stringd: `stringd cluster init` with the same URL makes one"
        case asyncpg.CannotConnectNowError() | OSError() | TimeoutError() | asyncpg.PostgresConnectionError():
            reason = _line(error) or "it does not answer"
            return f"{where} can't be reached ({reason}): check the URL, and whether PostgreSQL runs there"
    return f"{where} refused what was asked: {_line(error)}"


def _line(error: Exception) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return " ".join(str(text).split()).rstrip(".")
