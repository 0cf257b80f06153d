"""Secrets in memory, by their scopes; a store adds where they are kept."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from stringd.api.secrets import PluginSecret, SecretScope

# No user or plugin has an empty name, which therefore denotes all of them.
_FOR_ALL = ""
PLUGIN_OWNER = "secret:"
"""What the owners of secrets for plugins begin with."""


class ScopedSecrets(ABC):
    """All `$NAME`s; implements the `Secrets` protocol that commands use. Changes are visible once written."""

    def __init__(self) -> None:
        self.by_scope: Mapping[SecretScope, Mapping[str, str]] = {}
        self._changing = asyncio.Lock()

    @abstractmethod
    async def write(self, by_scope: Mapping[SecretScope, Mapping[str, str]]) -> None:
        """Store all values in place of those that are known, or raise `StorageFailed`."""

    def replace(self, by_scope: Mapping[SecretScope, Mapping[str, str]]) -> None:
        """Know these values from now on, which are stored already."""
        self.by_scope = by_scope

    def of(self, scope: SecretScope) -> Mapping[str, str]:
        """Return the values of a scope: those of its configuration override those for all."""
        for_all = self.by_scope.get(replace(scope, config=None), {})
        return {**for_all, **self.by_scope.get(scope, {})}

    def names(self) -> Mapping[str, str]:
        """Return the `$NAME` of each stored value, whoever owns it."""
        return {value: f"${name}" for values in self.by_scope.values() for name, value in values.items()}

    def find(self, name: str, *, plugin: str, user_id: str | None = None) -> str | None:
        """Return a secret for a plugin: that for the user, or else that for all users."""
        users = (user_id, None) if user_id else (None,)
        scopes = (
            _plugin_scope(PluginSecret(name=name, user_id=u, plugin=p)) for u in users for p in (plugin, None)
        )
        found = (self.by_scope.get(scope, {}).get(name) for scope in scopes)
        return next(filter(None, found), None)

    def plugin_secrets(self) -> Iterator[PluginSecret]:
        """Yield the names of the secrets for plugins, sorted."""
        for scope, values in sorted(self.by_scope.items(), key=lambda it: (it[0].user_id, it[0].owner)):
            if scope.owner.startswith(PLUGIN_OWNER):
                for name in sorted(values):
                    yield plugin_secret(scope.user_id, scope.owner, name)

    async def all_plugin_secrets(self) -> Sequence[PluginSecret]:
        """Return those of all daemons that keep their secrets together: here, of this one."""
        return list(self.plugin_secrets())

    async def set_plugin_secret(self, secret: PluginSecret, value: str) -> bool:
        """Store a secret for plugins; return whether it is new."""
        is_new = secret not in set(self.plugin_secrets())
        await self.keep(_plugin_scope(secret), {secret.name: value})
        return is_new

    async def remove_plugin_secret(self, secret: PluginSecret) -> bool:
        """Remove a secret for plugins; return whether it existed."""
        is_there = secret in set(self.plugin_secrets())
        if is_there:
            await self.keep(_plugin_scope(secret), {secret.name: ""})
        return is_there

    async def keep(self, scope: SecretScope, values: Mapping[str, str]) -> None:
        """Store values for a scope; an empty value removes the name."""
        async with self._changing:
            merged = {**self.by_scope.get(scope, {}), **values}
            kept = {name: value for name, value in merged.items() if value}
            await self._store({**self.by_scope, scope: kept})

    async def forget(self, user_id: str, owner: str) -> None:
        """Remove all values of a user's owner, in every configuration."""
        await self._remove(lambda scope: (scope.user_id, scope.owner) == (user_id, owner))

    async def rename(self, user_id: str, owner: str, new: str) -> None:
        """Move the values of a user's owner to another owner that has none."""
        async with self._changing:
            moved = {
                replace(scope, owner=new)
                if (scope.user_id, scope.owner) == (user_id, owner)
                else scope: values
                for scope, values in self.by_scope.items()
            }
            if moved != self.by_scope:
                await self._store(moved)

    def owners(self) -> Collection[tuple[str, str]]:
        """Return the users and owners that have values."""
        return {(scope.user_id, scope.owner) for scope in self.by_scope}

    async def remove_user(self, user_id: str) -> None:
        """Remove all values of a user."""
        await self._remove(lambda scope: scope.user_id == user_id)

    async def _remove(self, matches: Callable[[SecretScope], bool]) -> None:
        async with self._changing:
            kept = {scope: values for scope, values in self.by_scope.items() if not matches(scope)}
            if len(kept) < len(self.by_scope):
                await self._store(kept)

    async def _store(self, by_scope: Mapping[SecretScope, Mapping[str, str]]) -> None:
        kept = {scope: values for scope, values in by_scope.items() if values}
        await self.write(kept)
        self.replace(kept)


def plugin_secret(user_id: str, owner: str, name: str) -> PluginSecret:
    """Return the secret for plugins that is stored under these names."""
    plugin = owner.removeprefix(PLUGIN_OWNER) or None
    return PluginSecret(name=name, user_id=user_id or None, plugin=plugin)


def _plugin_scope(secret: PluginSecret) -> SecretScope:
    user_id, plugin = secret.user_id or _FOR_ALL, secret.plugin or _FOR_ALL
    return SecretScope(user_id=user_id, owner=f"{PLUGIN_OWNER}{plugin}")
