"""The tables of a cluster, and the steps from one version of them to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stringd.plugin import Fault
from stringd_cluster.engine.shared_tables import SHARED_TABLES

SCHEMA = "stringd"
_LOCK = 0x737472696E6764
_FIRST = """
CREATE TABLE cluster (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    id uuid NOT NULL, ca_certificate text NOT NULL, ca_key bytea NOT NULL, home_policy text NOT NULL
);
CREATE TABLE nodes (
    id text PRIMARY KEY, name text NOT NULL, address text NOT NULL, labels text[] NOT NULL,
    version text NOT NULL, started timestamptz NOT NULL, expires timestamptz NOT NULL,
    ended timestamptz, is_draining boolean NOT NULL DEFAULT false, details jsonb NOT NULL DEFAULT '{}'
);
CREATE TABLE homes (
    id text PRIMARY KEY, epoch bigint NOT NULL DEFAULT 0, owner text, label text, moved_to text
);
CREATE INDEX homes_by_owner ON homes (owner);
CREATE TABLE users (
    id text PRIMARY KEY, home text NOT NULL, allowed_paths text[] NOT NULL, created_at text NOT NULL,
    requests_per_second double precision
);
CREATE TABLE tokens (
    digest bytea PRIMARY KEY, id text NOT NULL UNIQUE, user_id text NOT NULL, scopes text[] NOT NULL,
    created timestamptz NOT NULL, expires timestamptz, revoked timestamptz, note text NOT NULL DEFAULT ''
);
CREATE INDEX tokens_by_user ON tokens (user_id);
CREATE TABLE sessions (
    user_id text NOT NULL, topic text NOT NULL, state text NOT NULL, PRIMARY KEY (user_id, topic)
);
CREATE TABLE damaged_sessions (
    user_id text NOT NULL, topic text NOT NULL, state text NOT NULL, found timestamptz NOT NULL
);
CREATE TABLE plugin_data (
    user_id text NOT NULL, topic text NOT NULL, plugin text NOT NULL, value text NOT NULL,
    PRIMARY KEY (user_id, topic, plugin)
);
CREATE TABLE edits (
    user_id text NOT NULL, topic text NOT NULL, number bigint NOT NULL, joined boolean NOT NULL,
    path bytea NOT NULL, before bytea, after text NOT NULL, directories integer NOT NULL,
    written boolean NOT NULL, charset text NOT NULL, first bigint, last bigint,
    PRIMARY KEY (user_id, topic, number)
);
CREATE TABLE outputs (
    user_id text NOT NULL, topic text NOT NULL, number bigint NOT NULL, node text NOT NULL,
    number_there bigint NOT NULL, label text NOT NULL, characters bigint NOT NULL,
    PRIMARY KEY (user_id, topic, number)
);
CREATE TABLE secrets (
    user_id text NOT NULL, owner text NOT NULL, config text NOT NULL, name text NOT NULL, value text NOT NULL,
    PRIMARY KEY (user_id, owner, config, name)
);
CREATE TABLE storage (
    plugin text NOT NULL, key text COLLATE "C" NOT NULL, value text NOT NULL, PRIMARY KEY (plugin, key)
);
CREATE TABLE requests (
    user_id text NOT NULL, topic text NOT NULL, request_id text NOT NULL,
    begun timestamptz NOT NULL, outcome text, PRIMARY KEY (user_id, topic, request_id)
);
CREATE TABLE logs (name text PRIMARY KEY, user_id text NOT NULL, is_over boolean NOT NULL DEFAULT false);
CREATE INDEX logs_by_user ON logs (user_id);
CREATE INDEX logs_going_on ON logs (user_id) WHERE NOT is_over;
CREATE TABLE log_lines (
    log text NOT NULL REFERENCES logs (name) ON DELETE CASCADE, number bigint NOT NULL, line bytea NOT NULL,
    PRIMARY KEY (log, number)
);
CREATE TABLE heads (
    node text NOT NULL, chain text NOT NULL, number bigint NOT NULL, digest text NOT NULL,
    at timestamptz NOT NULL, PRIMARY KEY (node, chain)
);
"""
MIGRATIONS: Sequence[str] = (_FIRST, SHARED_TABLES)
"""The steps from an empty schema to the present one; released ones never change, and only add."""
VERSION = len(MIGRATIONS)


class WrongSchema(Fault):
    """The database does not have the tables of this version of stringd."""


async def create_schema(connection: Any) -> bool:
    """Create the tables in one transaction, or bring them up to date; return whether they are new."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
        before = await _version(connection)
        if before > VERSION:
            raise WrongSchema(_too_new(before))
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        await connection.execute(f"SET LOCAL search_path TO {SCHEMA}")
        if not before:
            await connection.execute("CREATE TABLE schema_version (version integer NOT NULL)")
            await connection.execute("INSERT INTO schema_version VALUES (0)")
        for step in MIGRATIONS[before:]:
            await connection.execute(step)
        await connection.execute("UPDATE schema_version SET version = $1", VERSION)
    return not before


async def update_schema(connection: Any) -> None:
    """Bring the tables of an existing cluster up to date, or raise `WrongSchema`."""
    version = await _version(connection)
    if not version:
        raise WrongSchema(
            "the database has no cluster of stringd; `stringd cluster init` with the same URL makes one"
        )
    if version > VERSION:
        raise WrongSchema(_too_new(version))
    if version < VERSION:
        await create_schema(connection)


async def _version(connection: Any) -> int:
    if await connection.fetchval("SELECT to_regclass($1)", "stringd.schema_version") is None:
        return 0
    version: int = await connection.fetchval("SELECT version FROM stringd.schema_version")
    return version


def _too_new(version: int) -> str:
    return (
        f"the tables of the cluster have version {version}, but this stringd knows {VERSION}: "
        "upgrade stringd on this machine"
    )
