"""`users.json`: the registered users; changes are on disk before a request is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from stringd.api.users import User
from stringd.errors import UnknownUser
from stringd.storage.json_file import JsonFile
from stringd.users.fields import checked_id, checked_path, checked_time

FILE = "users.json"


class Users:
    """All registered users; changes are visible once they are stored."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._file = JsonFile(FILE, report, lost="no user is registered")
        self._by_id: dict[str, User] = {}
        self._changing = asyncio.Lock()

    def open(self, data_dir: Path) -> None:
        """Read the users; move an unreadable file aside and report it."""
        self._by_id = self._file.read(data_dir, _decode) or {}

    def close(self) -> None:
        """Do nothing: each change is in the file already."""

    def __iter__(self) -> Iterator[User]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def get(self, user_id: str) -> User:
        """Return a user, or raise `UnknownUser`."""
        try:
            return self._by_id[user_id]
        except KeyError:
            raise UnknownUser(user_id) from None

    async def register(
        self, user_id: str, home: Path, allowed_paths: tuple[Path, ...] | None
    ) -> tuple[User, User | None]:
        """Add or update a user; return the new and the previous record. Omitted allowed paths are kept."""
        async with self._changing:
            before = self._by_id.get(user_id)
            user = _registered(before, user_id, home, allowed_paths)
            if user != before:
                await self._store({**self._by_id, user_id: user})
            return user, before

    async def remove(self, user_id: str) -> bool:
        """Delete a user; return whether it existed."""
        async with self._changing:
            if user_id not in self._by_id:
                return False
            await self._store({key: user for key, user in self._by_id.items() if key != user_id})
            return True

    async def _store(self, users: Mapping[str, User]) -> None:
        await self._file.write({"users": [as_json(user) for user in users.values()]})
        self._by_id = dict(users)


def as_json(user: User) -> dict[str, object]:
    """Return a user as `GET /users` lists it."""
    return {
        "id": user.id,
        "home": str(user.home),
        "allowedPaths": [str(path) for path in user.allowed_paths],
        "createdAt": user.created_at,
    }


def _registered(
    before: User | None, user_id: str, home: Path, allowed_paths: tuple[Path, ...] | None
) -> User:
    if before is None:
        return User(id=user_id, home=home, allowed_paths=allowed_paths or (), created_at=_now())
    kept = before.allowed_paths if allowed_paths is None else allowed_paths
    return replace(before, home=home, allowed_paths=kept)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _decode(stored: Any) -> dict[str, User]:
    users = [
        User(
            id=checked_id(record["id"]),
            home=checked_path(record["home"], "home"),
            allowed_paths=tuple(
                checked_path(path, "each of allowedPaths") for path in record["allowedPaths"]
            ),
            created_at=checked_time(record["createdAt"]),
        )
        for record in stored["users"]
    ]
    return {user.id: user for user in users}
