"""The registered users in memory; a store adds where they are kept."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from stringd.api.users import User
from stringd.errors import UnknownUser


class RegisteredUsers(ABC):
    """All registered users by id; changes are visible once they are written."""

    def __init__(self) -> None:
        self.by_id: Mapping[str, User] = {}
        self._changing = asyncio.Lock()

    @abstractmethod
    async def write(self, users: Mapping[str, User]) -> None:
        """Store all users in place of those that are known, or raise `StorageFailed`."""

    def replace(self, users: Mapping[str, User]) -> None:
        """Know these users from now on, who are stored already."""
        self.by_id = users

    def __iter__(self) -> Iterator[User]:
        return iter(self.by_id.values())

    def __len__(self) -> int:
        return len(self.by_id)

    def get(self, user_id: str) -> User:
        """Return a user, or raise `UnknownUser`."""
        try:
            return self.by_id[user_id]
        except KeyError:
            raise UnknownUser(user_id) from None

    async def register(
        self, user_id: str, home: Path, allowed_paths: tuple[Path, ...] | None
    ) -> tuple[User, User | None]:
        """Add or update a user; return the new and the previous record. Omitted allowed paths are kept."""
        async with self._changing:
            before = self.by_id.get(user_id)
            user = _registered(before, user_id, home, allowed_paths)
            if user != before:
                await self._store({**self.by_id, user_id: user})
            return user, before

    async def remove(self, user_id: str) -> bool:
        """Delete a user; return whether it existed."""
        async with self._changing:
            if user_id not in self.by_id:
                return False
            await self._store({key: user for key, user in self.by_id.items() if key != user_id})
            return True

    async def _store(self, users: Mapping[str, User]) -> None:
        await self.write(users)
        self.replace(users)


def _registered(
    before: User | None, user_id: str, home: Path, allowed_paths: tuple[Path, ...] | None
) -> User:
    if before is None:
        return User(id=user_id, home=home, allowed_paths=allowed_paths or (), created_at=_now())
    kept = before.allowed_paths if allowed_paths is None else allowed_paths
    return replace(before, home=home, allowed_paths=kept)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
