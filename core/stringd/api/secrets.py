"""The `$NAME`s that topics keep: keys and tokens, which are used and never shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretScope:
    """Whose they are: a user's, for one owner, such as an app, and for one configuration of it or for all."""

    user_id: str
    owner: str
    config: str | None = None


class Secrets(Protocol):
    """All `$NAME`s; a change is on the disk before it is seen, or raises `StorageFailed`."""

    def of(self, scope: SecretScope) -> Mapping[str, str]:
        """Return the values that hold in a scope: those of its configuration over those for all."""

    async def keep(self, scope: SecretScope, values: Mapping[str, str]) -> None:
        """Keep values for a scope; an empty one is forgotten."""

    async def forget(self, user_id: str, owner: str) -> None:
        """Forget all that was kept for a user's owner, whatever the configuration."""

    async def rename(self, user_id: str, owner: str, new: str) -> None:
        """Let what was kept for a user's owner be another one's, which has none of its own."""

    def owners(self) -> Collection[tuple[str, str]]:
        """Return the users and owners for whom something is kept."""
