"""The tokens of the database, as people manage them: only their digests are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from stringd.plugin import Fault
from stringd_cluster.access.token_table import CHANNEL
from stringd_cluster.access.tokens import NewToken, digest_of

_INSERT = """
INSERT INTO stringd.tokens (digest, id, user_id, scopes, created, expires, note)
VALUES ($1, $2, $3, $4, clock_timestamp(), coalesce($5::timestamptz, clock_timestamp() + $6::interval), $7)
RETURNING expires, expires <= clock_timestamp() AS has_expired
"""
_LIST = """
SELECT id, user_id, scopes, created, expires, revoked, note,
       coalesce(expires <= clock_timestamp(), false) AS has_expired
FROM stringd.tokens WHERE ($1::text IS NULL OR user_id = $1)
AND ($2 OR revoked IS NULL AND (expires IS NULL OR expires > clock_timestamp())) ORDER BY user_id, created, id
"""
_REVOKE = """
WITH revoked AS (
    UPDATE stringd.tokens SET revoked = clock_timestamp()
    WHERE revoked IS NULL AND ($1::text IS NULL OR id = $1) AND ($2::text IS NULL OR user_id = $2)
    RETURNING id
) SELECT id, pg_notify($3, id) FROM revoked ORDER BY id
"""


async def store_token(connection: Any, token: NewToken) -> datetime | None:
    """Store the digest of a token, within a transaction, and return when the token expires."""
    span = token.expiry if isinstance(token.expiry, timedelta) else None
    moment = token.expiry if isinstance(token.expiry, datetime) else None
    scopes = sorted(token.scopes)
    values = (digest_of(token.token), token.id, token.user_id, scopes, moment, span, token.note)
    row = await connection.fetchrow(_INSERT, *values)
    if row["has_expired"]:
        raise Fault("--expires is in the past", exit_code=2)
    expires: datetime | None = row["expires"]
    return expires


async def has_user(connection: Any, user_id: str) -> bool:
    """Whether a user is registered."""
    return bool(await connection.fetchval("SELECT 1 FROM stringd.users WHERE id = $1", user_id))


async def listed_tokens(
    connection: Any, user_id: str | None, *, with_ended: bool
) -> Sequence[Mapping[str, Any]]:
    """Return the tokens of a user, or of all."""
    rows: Sequence[Mapping[str, Any]] = await connection.fetch(_LIST, user_id, with_ended)
    return rows


async def revoke_tokens(connection: Any, token_id: str | None, user_id: str | None) -> Sequence[str]:
    """Revoke a token, or all tokens of a user; tell the nodes; return the ids."""
    rows = await connection.fetch(_REVOKE, token_id, user_id, CHANNEL)
    return [row["id"] for row in rows]
