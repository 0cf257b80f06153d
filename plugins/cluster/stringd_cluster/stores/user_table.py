"""The registered users, in the database; every node knows all of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stringd.plugin import User
from stringd.plugin.stores import RegisteredUsers
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.engine.notifications import Notifications
from stringd_cluster.homes.owned_homes import OwnedHomes
from stringd_cluster.stores.changes_elsewhere import ChangesElsewhere

_SAVE = """
INSERT INTO users (id, home, allowed_paths, created_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (id) DO UPDATE SET home = excluded.home, allowed_paths = excluded.allowed_paths
"""
_REMOVE = "DELETE FROM users WHERE id = $1"
_UNPIN = "UPDATE homes SET label = NULL WHERE id = $1"
_REVOKE = "UPDATE tokens SET revoked = clock_timestamp() WHERE user_id = $1 AND revoked IS NULL"
_IS_REGISTERED = "SELECT 1 FROM users WHERE id = $1"
_ALL = "SELECT id, home, allowed_paths, created_at FROM users"


class UserTable(RegisteredUsers):
    """Stores users; implements `UserStore`. A user is changed where its home is."""

    def __init__(self, pool: ConnectionPool, homes: OwnedHomes, notifications: Notifications) -> None:
        super().__init__()
        self._pool = pool
        self._homes = homes
        changes = ChangesElsewhere(self.load, "users who have changed can't be read")
        notifications.listen("stringd_users", changes.add)

    def open(self, data_dir: Path) -> None:
        """Do nothing: users are read when the node joins."""

    def close(self) -> None:
        """Do nothing: every write is in the database when it returns."""

    async def load(self, user_id: str = "") -> None:
        """Read one user, or all; one after the other, so that none is forgotten for another."""
        async with self._changing:
            if not user_id:
                self.replace({it["id"]: _user(it) for it in await self._pool.fetch(_ALL)})
                return
            rows = await self._pool.fetch(f"{_ALL} WHERE id = $1", user_id)
            others = {key: user for key, user in self.by_id.items() if key != user_id}
            self.replace({**others, **{it["id"]: _user(it) for it in rows}})

    async def knows(self, user_id: str) -> bool:
        """Whether a user is registered, maybe a moment ago at another node; only strangers cost a query."""
        return user_id in self.by_id or await self._pool.fetchrow(_IS_REGISTERED, user_id) is not None

    async def write(self, users: Mapping[str, User]) -> None:
        """Store what differs from what is known."""
        for user_id in {**self.by_id, **users}:
            user = users.get(user_id)
            if user == self.by_id.get(user_id):
                continue
            async with self._homes.fenced(user_id) as connection:
                if user:
                    paths = [str(it) for it in user.allowed_paths]
                    await connection.execute(_SAVE, user_id, str(user.home), paths, user.created_at)
                else:
                    await connection.execute(_REMOVE, user_id)
                    await connection.execute(_UNPIN, user_id)
                    await connection.execute(_REVOKE, user_id)
                    await connection.execute("SELECT pg_notify('stringd_tokens', '')")
                await connection.execute("SELECT pg_notify('stringd_users', $1)", user_id)


def _user(row: Any) -> User:
    return User(
        id=row["id"],
        home=Path(row["home"]),
        allowed_paths=tuple(map(Path, row["allowed_paths"])),
        created_at=row["created_at"],
    )
