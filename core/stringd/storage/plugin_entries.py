"""The key-value store of a plugin: what may be stored, transactions, and the table behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from stringd.api.storage import Entries
from stringd.errors import StorageFailed
from stringd.text.json_values import TooLarge, decode_json, encode_json

LONGEST_KEY = 1024
LARGEST_VALUE = 1024 * 1024
_MISSING = object()


class EntryTable(Protocol):
    """The entries of a plugin as texts; failed reads and writes raise `StorageFailed`."""

    async def get(self, key: str) -> str | None:
        """Return the text of a key, or None."""

    async def items(self, prefix: str) -> Sequence[tuple[str, str]]:
        """Return the entries whose keys begin with a prefix, sorted by key."""

    async def change(self, entries: Sequence[tuple[str, str | None]]) -> None:
        """Within `exclusive`, set all entries, remove those without a text, or do nothing if that fails."""

    def exclusive(self) -> AbstractAsyncContextManager[None]:
        """Return a context that excludes changes by other daemons; own ones may be stored at its end."""


class StoredEntries:
    """A plugin's folder and store; implements `PluginStorage`."""

    def __init__(self, folder: Callable[[], Path], open_table: Callable[[], Awaitable[EntryTable]]) -> None:
        self._folder = folder
        self._open_table = open_table
        self._table: EntryTable | None = None
        self._opening = asyncio.Lock()
        self._changing = asyncio.Lock()
        self._holder: asyncio.Task[Any] | None = None

    @property
    def folder(self) -> Path:
        """The plugin's own folder."""
        return self._folder()

    async def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default."""
        self._refuse_in_transaction()
        return await self._get(_checked_key(key), default)

    async def items(self, prefix: str = "") -> Mapping[str, Any]:
        """Return the values of all keys that begin with a prefix, sorted by key."""
        self._refuse_in_transaction()
        return await self._items(prefix)

    async def set(self, key: str, value: object) -> None:
        """Store a value under a key."""
        entry = (_checked_key(key), _encode(key, value))
        async with self._exclusive() as table:
            await table.change([entry])

    async def delete(self, key: str) -> bool:
        """Remove a key; return whether it existed."""
        async with self._exclusive() as table:
            found = await table.get(_checked_key(key)) is not None
            if found:
                await table.change([(key, None)])
            return found

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Entries]:
        """Return a context whose changes are stored together at its end, or not at all if it raises."""
        async with self._exclusive() as table:
            changes = _Changes(self._get, self._items)
            try:
                yield changes
            finally:
                changes.is_over = True
            if changes.texts:
                await table.change(list(changes.texts.items()))

    async def _get(self, key: str, default: Any = None) -> Any:
        text = await (await self._ready()).get(key)
        return default if text is None else _decode(text)

    async def _items(self, prefix: str) -> Mapping[str, Any]:
        return {key: _decode(text) for key, text in await (await self._ready()).items(prefix)}

    async def _ready(self) -> EntryTable:
        if self._table is None:
            async with self._opening:
                if self._table is None:
                    self._table = await self._open_table()
        return self._table

    @asynccontextmanager
    async def _exclusive(self) -> AsyncIterator[EntryTable]:
        self._refuse_in_transaction()
        async with self._changing:
            table = await self._ready()
            self._holder = asyncio.current_task()
            try:
                async with table.exclusive():
                    yield table
            finally:
                self._holder = None

    def _refuse_in_transaction(self) -> None:
        """Refuse calls in an own transaction, which would deadlock or miss its changes."""
        if self._holder is not None and self._holder is asyncio.current_task():
            raise RuntimeError("a transaction is open: use its entries instead of the storage")


class _Changes:
    """An open transaction: the resulting entries, and the changes to store."""

    def __init__(
        self,
        get: Callable[[str, Any], Any],
        items: Callable[[str], Any],
    ) -> None:
        self._get = get
        self._items = items
        self.texts: dict[str, str | None] = {}
        self.is_over = False

    async def get(self, key: str, default: Any = None) -> Any:
        self._require_open()
        if key not in self.texts:
            return await self._get(_checked_key(key), default)
        text = self.texts[key]
        return default if text is None else _decode(text)

    async def set(self, key: str, value: object) -> None:
        self._require_open()
        self.texts[_checked_key(key)] = _encode(key, value)

    async def delete(self, key: str) -> bool:
        found = await self.get(key, _MISSING) is not _MISSING
        if found:
            self.texts[key] = None
        return found

    async def items(self, prefix: str = "") -> Mapping[str, Any]:
        self._require_open()
        stored = await self._items(prefix)
        unchanged = {key: value for key, value in stored.items() if key not in self.texts}
        changed = {key: _decode(it) for key, it in self.texts.items() if it and key.startswith(prefix)}
        return dict(sorted({**unchanged, **changed}.items()))

    def _require_open(self) -> None:
        if self.is_over:
            raise RuntimeError("the transaction is over")


def _checked_key(key: object) -> str:
    if not isinstance(key, str) or not key:
        raise TypeError(f"a key is a text that is not empty, not {key!r}")
    if len(key.encode(errors="surrogatepass")) > LONGEST_KEY or not _is_unicode(key):
        raise ValueError(f"a key has at most {LONGEST_KEY} bytes of UTF-8; this is none: {key[:80]!r}")
    return key


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _encode(key: str, value: object) -> str:
    try:
        return encode_json(value, f"the value of {key!r}", LARGEST_VALUE)
    except TooLarge:
        message = f"the value of {key!r} takes more than {LARGEST_VALUE // 1024**2} MiB as JSON"
        raise StorageFailed(f"{message}; put it into a file of the plugin's folder") from None


def _decode(text: str) -> Any:
    try:
        return decode_json(text)
    except (ValueError, RecursionError) as error:
        raise StorageFailed(f"a stored value is damaged: {error}") from error
