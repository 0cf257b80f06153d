"""The persistent storage of a plugin: a folder in the data directory, and a key-value store in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

from stringd.frozen_record import FrozenRecord


class Entries(Protocol):
    """JSON values by key; failed reads and writes raise `StorageFailed`.

    Values are read-only: arrays are tuples, objects are read-only mappings.
    """

    async def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default."""

    async def set(self, key: str, value: object) -> None:
        """Store a value under a key."""

    async def delete(self, key: str) -> bool:
        """Remove a key; return whether it existed."""

    async def items(self, prefix: str = "") -> Mapping[str, Any]:
        """Return the values of all keys that begin with a prefix, sorted by key."""


class PluginStorage(Entries, Protocol):
    """A plugin's own store; each change is on disk when the call returns."""

    @property
    def folder(self) -> Path:
        """The plugin's own folder, which only its owner can read and commands cannot access."""

    def transaction(self) -> AbstractAsyncContextManager[Entries]:
        """Return a context whose changes are stored together at its end, or not at all if it raises.

        It excludes other changes to the store.
        """


class StoredValues(FrozenRecord, frozen=True, kw_only=True):
    """Where the entries of all plugins are kept, for subcommands, which run without a daemon.

    `read` returns what a plugin keeps under a key, None if there is nothing. It blocks, and raises `Fault` if
    that can't be read.
    """

    name: str
    read: Callable[[str, str], Any]
