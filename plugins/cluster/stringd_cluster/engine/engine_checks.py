"""Checks that the database keeps what it has acknowledged."""

from __future__ import annotations

from typing import Any

from stringd.plugin import Fault

OLDEST = 130000


class UnfitEngine(Fault):
    """The database server would lose acknowledged writes, or can't be written to."""


async def check_engine(connection: Any) -> None:
    """Raise `UnfitEngine` unless the server is recent, writable and durable."""
    version = connection.get_server_version()
    if int(await connection.fetchval("SHOW server_version_num")) < OLDEST:
        raise UnfitEngine(f"the database is PostgreSQL {version.major}; a cluster needs 13 or later")
    if await connection.fetchval("SELECT pg_is_in_recovery()"):
        raise UnfitEngine("the database is a standby, which can't be written to; use the URL of the primary")
    for name in ("fsync", "synchronous_commit"):
        if await connection.fetchval(f"SHOW {name}") == "off":
            raise UnfitEngine(
                f"the database runs with {name} = off and would lose acknowledged writes; "
                f"set {name} = on in its configuration"
            )
