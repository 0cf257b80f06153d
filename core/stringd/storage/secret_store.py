"""`secrets.json`: the `$NAME`s of all users, readable by their owner alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from stringd.api.checks import check_optional_text
from stringd.api.secrets import PluginSecret, SecretScope
from stringd.storage.json_file import JsonFile

FILE = "secrets.json"
# No user or plugin has an empty name, which therefore denotes all of them.
_FOR_ALL = ""
_PLUGIN = "secret:"


class SecretStore:
    """Stores `$NAME`s; implements the `Secrets` protocol that commands use."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._file = JsonFile(FILE, report, lost="no $NAME is set", is_secret=True)
        self._secrets: dict[SecretScope, Mapping[str, str]] = {}
        self._changing = asyncio.Lock()

    def open(self, data_dir: Path) -> None:
        """Read the values; set aside and report a broken file, without quoting it."""
        self._secrets = self._file.read(data_dir, _decoded) or {}

    def close(self) -> None:
        """Do nothing: each change is in the file already."""

    def of(self, scope: SecretScope) -> Mapping[str, str]:
        """Return the values of a scope: those of its configuration override those for all."""
        for_all = self._secrets.get(replace(scope, config=None), {})
        return {**for_all, **self._secrets.get(scope, {})}

    def names(self) -> Mapping[str, str]:
        """Return the `$NAME` of each stored value, whoever owns it."""
        return {value: f"${name}" for values in self._secrets.values() for name, value in values.items()}

    def find(self, name: str, *, plugin: str, user_id: str | None = None) -> str | None:
        """Return a secret for a plugin: that for the user, or else that for all users."""
        users = (user_id, None) if user_id else (None,)
        scopes = (
            _plugin_scope(PluginSecret(name=name, user_id=u, plugin=p)) for u in users for p in (plugin, None)
        )
        found = (self._secrets.get(scope, {}).get(name) for scope in scopes)
        return next(filter(None, found), None)

    def plugin_secrets(self) -> Iterator[PluginSecret]:
        """Yield the names of the secrets for plugins, sorted."""
        for scope, values in sorted(self._secrets.items(), key=lambda it: (it[0].user_id, it[0].owner)):
            if scope.owner.startswith(_PLUGIN):
                for name in sorted(values):
                    plugin = scope.owner.removeprefix(_PLUGIN) or None
                    yield PluginSecret(name=name, user_id=scope.user_id or None, plugin=plugin)

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
            merged = {**self._secrets.get(scope, {}), **values}
            kept = {name: value for name, value in merged.items() if value}
            await self._store({**self._secrets, scope: kept})

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
                for scope, values in self._secrets.items()
            }
            if moved != self._secrets:
                await self._store(moved)

    def owners(self) -> Collection[tuple[str, str]]:
        """Return the users and owners that have values."""
        return {(scope.user_id, scope.owner) for scope in self._secrets}

    async def remove_user(self, user_id: str) -> None:
        """Remove all values of a user."""
        await self._remove(lambda scope: scope.user_id == user_id)

    async def _remove(self, matches: Callable[[SecretScope], bool]) -> None:
        async with self._changing:
            kept = {scope: values for scope, values in self._secrets.items() if not matches(scope)}
            if len(kept) < len(self._secrets):
                await self._store(kept)

    async def _store(self, by_scope: Mapping[SecretScope, Mapping[str, str]]) -> None:
        kept = {scope: values for scope, values in by_scope.items() if values}
        await self._file.write([{**asdict(scope), "values": dict(values)} for scope, values in kept.items()])
        self._secrets = kept


def _plugin_scope(secret: PluginSecret) -> SecretScope:
    user_id, plugin = secret.user_id or _FOR_ALL, secret.plugin or _FOR_ALL
    return SecretScope(user_id=user_id, owner=f"{_PLUGIN}{plugin}")


def _decoded(records: Iterable[Any]) -> dict[SecretScope, Mapping[str, str]]:
    by_scope: dict[SecretScope, Mapping[str, str]] = {}
    for record in records:
        values = dict(record.pop("values"))
        scope = SecretScope(**record)
        check_optional_text("secret", scope.user_id, scope.owner, scope.config, *values, *values.values())
        by_scope[scope] = values
    return by_scope
