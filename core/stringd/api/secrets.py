"""Secrets: the `$NAME`s of topics, such as keys and tokens, which are never shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Protocol

from stringd.frozen_record import FrozenRecord

LARGEST_SECRET = 64 * 1024
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


class SecretScope(FrozenRecord, frozen=True, kw_only=True):
    """The scope of secrets: a user, an owner such as an app, and one of its configurations or all."""

    user_id: str
    owner: str
    config: str | None = None


def site_scope(user_id: str, origin: str) -> SecretScope:
    """Return the scope of the secrets that forms may send to an origin, and to no other."""
    return SecretScope(user_id=user_id, owner=f"site:{origin}")


class PluginSecret(FrozenRecord, frozen=True, kw_only=True):
    """The name, user and plugin of a secret for plugins; None means all."""

    name: str
    user_id: str | None = None
    plugin: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise ValueError("a secret needs a name of up to 128 letters, digits and _, such as API_KEY")


def check_secret_value(value: object) -> str:
    """Return the value of a secret, or raise a `ValueError` that does not quote it."""
    if not isinstance(value, str) or not value:
        raise ValueError("a secret needs a value that is not empty")
    if "\0" in value:
        raise ValueError("a secret can't have the character NUL")
    if len(value.encode(errors="surrogatepass")) > LARGEST_SECRET:
        raise ValueError(f"a secret has at most {LARGEST_SECRET // 1024} KiB")
    return value


class Secrets(Protocol):
    """All secrets; changes are on disk before they are visible, or raise `StorageFailed`."""

    def of(self, scope: SecretScope) -> Mapping[str, str]:
        """Return the values of a scope; those of its configuration override those for all."""

    def find(self, name: str, *, plugin: str, user_id: str | None = None) -> str | None:
        """Return the value that `stringd secret set` stored for a plugin, for the user or else for all."""

    async def keep(self, scope: SecretScope, values: Mapping[str, str]) -> None:
        """Store values for a scope; an empty value deletes the name."""

    async def forget(self, user_id: str, owner: str) -> None:
        """Delete all values of a user's owner, in every configuration."""

    async def rename(self, user_id: str, owner: str, new: str) -> None:
        """Move the values of a user's owner to another owner, which has none."""

    def owners(self) -> Collection[tuple[str, str]]:
        """Return the users and owners that have values."""
