"""`users.json`: the registered users; changes are on disk before a request is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from stringd.api.users import User
from stringd.storage.json_file import JsonFile
from stringd.users.fields import checked_id, checked_path, checked_time
from stringd.users.registered_users import RegisteredUsers

FILE = "users.json"


class UserFile(RegisteredUsers):
    """Stores users in a file; implements `UserStore`."""

    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__()
        self._file = JsonFile(FILE, report, lost="no user is registered")

    def open(self, data_dir: Path) -> None:
        """Read the users; move an unreadable file aside and report it."""
        self.replace(self._file.read(data_dir, _decode) or {})

    def close(self) -> None:
        """Do nothing: each change is in the file already."""

    async def write(self, users: Mapping[str, User]) -> None:
        """Write the file."""
        await self._file.write({"users": [as_json(user) for user in users.values()]})


def as_json(user: User) -> dict[str, object]:
    """Return a user as `GET /users` lists it."""
    return {
        "id": user.id,
        "home": str(user.home),
        "allowedPaths": [str(path) for path in user.allowed_paths],
        "createdAt": user.created_at,
    }


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
