"""`secrets.json`: the `$NAME`s of all users, readable by their owner alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from stringd.api.checks import check_optional_text
from stringd.api.secrets import SecretScope
from stringd.errors import Fault, StorageFailed
from stringd.storage.data_directory import StateFile, set_aside
from stringd.workers.threads import STORAGE

FILE = "secrets.json"


class SecretStore:
    """Keeps `$NAME`s; it implements the `Secrets` that commands see."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._file = StateFile(Path(FILE))
        self._by_scope: dict[SecretScope, Mapping[str, str]] = {}
        self._changing = asyncio.Lock()

    def open(self, data_dir: Path) -> None:
        """Read the values; a file that can't be read is kept aside and reported, without what it holds."""
        path = data_dir / FILE
        self._file = StateFile(path)
        try:
            self._by_scope = dict(_decoded(self._file.read()))
        except FileNotFoundError:
            self._by_scope = {}
        except PermissionError as error:
            raise Fault(f"cannot read {path}: {error.strerror}") from error
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            kept = set_aside(path)
            self._report(f"{path} was broken; it is kept as {kept}, no $NAME is set")

    def of(self, scope: SecretScope) -> Mapping[str, str]:
        """Return the values that hold in a scope: those of its configuration over those for all."""
        for_all = self._by_scope.get(replace(scope, config=None), {})
        return {**for_all, **self._by_scope.get(scope, {})}

    def names(self) -> Mapping[str, str]:
        """Return what each value that is kept is called, whoever it belongs to."""
        return {value: f"${name}" for values in self._by_scope.values() for name, value in values.items()}

    async def keep(self, scope: SecretScope, values: Mapping[str, str]) -> None:
        """Keep values for a scope; an empty one is forgotten."""
        async with self._changing:
            merged = {**self._by_scope.get(scope, {}), **values}
            kept = {name: value for name, value in merged.items() if value}
            await self._store({**self._by_scope, scope: kept})

    async def forget(self, user_id: str, owner: str) -> None:
        """Forget all that was kept for a user's owner, whatever the configuration."""
        await self._remove(lambda scope: (scope.user_id, scope.owner) == (user_id, owner))

    async def rename(self, user_id: str, owner: str, new: str) -> None:
        """Let what was kept for a user's owner be another one's, which has none of its own."""
        async with self._changing:
            moved = {
                replace(scope, owner=new)
                if (scope.user_id, scope.owner) == (user_id, owner)
                else scope: values
                for scope, values in self._by_scope.items()
            }
            if moved != self._by_scope:
                await self._store(moved)

    def owners(self) -> Collection[tuple[str, str]]:
        """Return the users and owners for whom something is kept."""
        return {(scope.user_id, scope.owner) for scope in self._by_scope}

    async def remove_user(self, user_id: str) -> None:
        """Forget all values of a user."""
        await self._remove(lambda scope: scope.user_id == user_id)

    async def _remove(self, is_meant: Callable[[SecretScope], bool]) -> None:
        async with self._changing:
            kept = {scope: values for scope, values in self._by_scope.items() if not is_meant(scope)}
            if len(kept) < len(self._by_scope):
                await self._store(kept)

    async def _store(self, by_scope: Mapping[SecretScope, Mapping[str, str]]) -> None:
        kept = {scope: values for scope, values in by_scope.items() if values}
        data = json.dumps([{**asdict(scope), "values": dict(values)} for scope, values in kept.items()])
        try:
            await STORAGE.run(self._file.write, data.encode())
        except OSError as error:
            raise StorageFailed(f"cannot write {self._file.path}: {error.strerror}") from error
        self._by_scope = kept


def _decoded(data: bytes) -> Iterator[tuple[SecretScope, Mapping[str, str]]]:
    for record in json.loads(data):
        values = dict(record.pop("values"))
        scope = SecretScope(**record)
        check_optional_text("secret", scope.user_id, scope.owner, scope.config, *values, *values.values())
        yield scope, values
