"""Register and remove users, together with everything stored for them."""

from __future__ import annotations

import contextlib
from pathlib import Path

from msgspec import Struct

from stringd.api.events import UserAdded, UserChanged, UserRemoved
from stringd.api.sessions import EndReason
from stringd.api.stores import SecretStore, UserStore
from stringd.api.users import User
from stringd.events.bus import EventBus
from stringd.sessions.registry import Sessions

_MOVED = EndReason.CLOSE


class UserChanges(Struct, frozen=True, kw_only=True):
    """Changes the users of a daemon."""

    users: UserStore
    registry: Sessions
    secrets: SecretStore
    events: EventBus

    async def register(
        self, user_id: str, home: Path, allowed_paths: tuple[Path, ...] | None
    ) -> tuple[User, bool]:
        """Register a user, or update it; return it, and whether it is new. A new home ends its topics."""
        moves = any(user.id == user_id and user.home != home for user in self.users)
        if moves:
            # Sessions first: a daemon that is killed in between must not restore them in the new home.
            await self.registry.delete_user(user_id, _MOVED)
        user, before = await self.users.register(user_id, home, allowed_paths)
        if moves:
            await self.registry.delete_user(user_id, _MOVED)
        self.registry.update_user(user)
        _create_home(home)
        if before is None:
            self.events.publish(UserAdded(user_id=user_id))
        elif user != before:
            self.events.publish(UserChanged(user_id=user_id))
        return user, before is None

    async def remove(self, user_id: str) -> bool:
        """Remove a user and its topics and secrets; the files in its home stay. False if there was none."""
        if not any(user.id == user_id for user in self.users):
            return False
        # Sessions first: a daemon that is killed in between must not restore them if the user is added again.
        await self.registry.delete_user(user_id)
        await self.secrets.remove_user(user_id)
        removed = await self.users.remove(user_id)
        await self.registry.delete_user(user_id)
        if removed:
            self.events.publish(UserRemoved(user_id=user_id))
        return removed


def _create_home(home: Path) -> None:
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
