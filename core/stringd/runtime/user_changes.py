"""Register and remove users, together with everything stored for them."""

from __future__ import annotations

import contextlib
from pathlib import Path

from stringd.api.events import UserAdded, UserRemoved
from stringd.api.sessions import EndReason
from stringd.api.users import User
from stringd.runtime.local import LocalRuntime

_MOVED = EndReason.CLOSE


async def register_user(
    runtime: LocalRuntime, user_id: str, home: Path, allowed_paths: tuple[Path, ...] | None
) -> tuple[User, bool]:
    """Register a user, or update it; return it, and whether it is new. A new home ends its topics."""
    moves = any(user.id == user_id and user.home != home for user in runtime.users)
    if moves:
        # Sessions first: a daemon that is killed in between must not restore them in the new home.
        await runtime.registry.delete_user(user_id, _MOVED)
    user, before = await runtime.users.register(user_id, home, allowed_paths)
    if moves:
        await runtime.registry.delete_user(user_id, _MOVED)
    runtime.registry.update_user(user)
    _create_home(home)
    if before is None:
        runtime.events.publish(UserAdded(user_id=user_id))
    return user, before is None


async def remove_user(runtime: LocalRuntime, user_id: str) -> bool:
    """Remove a user and its topics and secrets; the files in its home stay. False if there was none."""
    # Sessions first: a daemon that is killed in between must not restore them if the user is added again.
    await runtime.registry.delete_user(user_id)
    await runtime.secrets.remove_user(user_id)
    removed = await runtime.users.remove(user_id)
    await runtime.registry.delete_user(user_id)
    if removed:
        runtime.events.publish(UserRemoved(user_id=user_id))
    return removed


def _create_home(home: Path) -> None:
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
