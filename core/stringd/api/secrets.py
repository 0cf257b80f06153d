"""Secrets: the `$NAME`s of topics, such as keys and tokens, which are never shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretScope:
    """The scope of secrets: a user, an owner such as an app, and one of its configurations or all."""

    user_id: str
    owner: str
    config: str | None = None


class Secrets(Protocol):
    """All secrets; changes are on disk before they are visible, or raise `StorageFailed`."""

    def of(self, scope: SecretScope) -> Mapping[str, str]:
        """Return the values of a scope; those of its configuration override those for all."""

    async def keep(self, scope: SecretScope, values: Mapping[str, str]) -> None:
        """Store values for a scope; an empty value deletes the name."""

    async def forget(self, user_id: str, owner: str) -> None:
        """Delete all values of a user's owner, in every configuration."""

    async def rename(self, user_id: str, owner: str, new: str) -> None:
        """Move the values of a user's owner to another owner, which has none."""

    def owners(self) -> Collection[tuple[str, str]]:
        """Return the users and owners that have values."""
