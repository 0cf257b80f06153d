"""Claims: the change of a home from one node to another, which nobody else can make at the same time."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.homes.home_errors import HomeTaken
from stringd_cluster.membership.live_nodes import end_expired

_LOOK_UP = """
SELECT homes.owner, homes.label, homes.moved_to, nodes.ended IS NOT NULL AS has_ended,
       coalesce(nodes.expires <= clock_timestamp(), true) AS has_expired
FROM homes LEFT JOIN nodes ON nodes.id = homes.owner WHERE homes.id = $1
"""
_ADD = """
INSERT INTO homes (id, label)
SELECT $1, CASE (SELECT home_policy FROM cluster) WHEN 'local' THEN (SELECT name FROM nodes WHERE id = $2) END
ON CONFLICT DO NOTHING
"""
_CLAIM = """
UPDATE homes SET epoch = epoch + 1, owner = $2, moved_to = NULL
WHERE id = $1 AND owner IS NOT DISTINCT FROM $3 AND EXISTS (
    SELECT 1 FROM nodes WHERE nodes.id = $2 AND ended IS NULL AND expires > clock_timestamp()
    AND NOT is_draining AND (homes.label IS NULL OR homes.label = name OR homes.label = ANY (labels))
) RETURNING epoch
"""
_GIVE_UP = "UPDATE homes SET owner = NULL WHERE id = $1 AND owner = $2 AND epoch = $3"

_ORDERED_AWAY = """
SELECT homes.id FROM homes JOIN nodes ON nodes.id = owner WHERE owner = $1 AND (
    is_draining OR NOT coalesce(label = name OR label = ANY (labels), true)
    OR EXISTS (
        SELECT 1 FROM nodes AS wanted WHERE wanted.name = moved_to AND wanted.name <> nodes.name
        AND wanted.ended IS NULL AND wanted.expires > clock_timestamp() AND NOT wanted.is_draining
        AND coalesce(homes.label = wanted.name OR homes.label = ANY (wanted.labels), true)
    )
)
"""
_WITH_WORK = """
SELECT DISTINCT logs.user_id FROM logs LEFT JOIN homes ON homes.id = logs.user_id
LEFT JOIN nodes ON nodes.id = homes.owner AND ended IS NULL AND expires > clock_timestamp()
WHERE NOT logs.is_over AND nodes.id IS NULL
"""


class Home(Struct, frozen=True, kw_only=True):
    """A home as the database lists it; `owner` is the id of a node whose lease may be over."""

    owner: str | None
    label: str | None
    moved_to: str | None
    is_free: bool


async def look_up(pool: ConnectionPool, user_id: str) -> Home:
    """Return where a user's home is."""
    row = await pool.fetchrow(_LOOK_UP, user_id)
    if row is None:
        return Home(owner=None, label=None, moved_to=None, is_free=True)
    return Home(
        owner=row["owner"],
        label=row["label"],
        moved_to=row["moved_to"],
        is_free=row["owner"] is None or row["has_ended"] or row["has_expired"],
    )


async def claim(pool: ConnectionPool, user_id: str, node_id: str) -> int:
    """Make a node the owner of a home, and return the home's new epoch; raise `HomeTaken`."""
    await pool.execute(_ADD, user_id, node_id)
    home = await look_up(pool, user_id)
    if not home.is_free and home.owner != node_id:
        raise HomeTaken(user_id)
    if home.owner not in (None, node_id) and not await end_expired(pool, home.owner or ""):
        raise HomeTaken(user_id)
    async with pool.transaction() as connection:
        epoch: int | None = await connection.fetchval(_CLAIM, user_id, node_id, home.owner)
        if epoch is None:
            raise HomeTaken(user_id)
        await connection.execute("SELECT pg_notify('stringd_homes', $1)", user_id)
    return epoch


async def give_up(pool: ConnectionPool, user_id: str, node_id: str, epoch: int) -> None:
    """Leave a home to other nodes; its topics have ended, and their state is stored."""
    async with pool.transaction() as connection:
        await connection.execute(_GIVE_UP, user_id, node_id, epoch)
        await connection.execute("SELECT pg_notify('stringd_homes', $1)", user_id)


async def ordered_away(pool: ConnectionPool, node_id: str) -> Sequence[str]:
    """Return the users whose homes a node is to pass on: it drains, or they are pinned or moved elsewhere."""
    return [row["id"] for row in await pool.fetch(_ORDERED_AWAY, node_id)]


async def waiting_for_an_owner(pool: ConnectionPool) -> Sequence[str]:
    """Return the users who have unfinished work, such as a run, but whose homes no live node has."""
    return [row["user_id"] for row in await pool.fetch(_WITH_WORK)]
