"""The folders and key-value stores of plugins, below `plugins/` in the data directory."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from stringd.api.storage import Entries
from stringd.errors import Fault, StorageFailed
from stringd.files.protected import protected
from stringd.storage.database import Database, Statement
from stringd.text.json_values import TooLarge, decode_json, encode_json
from stringd.workers.threads import STORAGE

FOLDER = "plugins"
FILE = "store.db"
LONGEST_KEY = 1024
LARGEST_VALUE = 1024 * 1024
_PRIVATE = 0o700
_SCHEMA = "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL)"
_ANY = "SELECT 1 FROM entries LIMIT 1"
_GET = "SELECT value FROM entries WHERE key = ?"
_SET = "INSERT OR REPLACE INTO entries VALUES (?, ?)"
_DELETE = "DELETE FROM entries WHERE key = ?"
_ITEMS = "SELECT key, value FROM entries WHERE key >= ?1 AND key < ?2 ORDER BY key"
_LAST_CHARACTER = "\U0010ffff"


class PluginStorages:
    """The storage of all plugins, available while the data directory is open."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._by_plugin: dict[str, StoredEntries] = {}
        self._root: Path | None = None
        self._closing = ExitStack()

    def open(self, data_dir: Path) -> None:
        """Make the storage available until it is closed."""
        self._root = data_dir / FOLDER
        for folder in _folders(self._root):
            self._closing.enter_context(protected(folder))

    def close(self) -> None:
        """Finish pending writes and close the stores."""
        self._closing.close()
        self._root = None

    def of(self, plugin: str) -> StoredEntries:
        """Return the storage of a plugin, which is created at its first use."""
        if plugin not in self._by_plugin:
            self._by_plugin[plugin] = StoredEntries(plugin, self)
        return self._by_plugin[plugin]

    def make_folder(self, plugin: str) -> Path:
        """Create a plugin's folder if it is missing, or raise `StorageFailed`."""
        if self._root is None:
            raise RuntimeError("a plugin's storage can be used while the daemon runs, not in a hook")
        folder = self._root / _folder_name(plugin)
        try:
            is_new = not folder.is_dir()
            folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
            for it in (self._root, folder):
                if stat.S_IMODE(it.stat().st_mode) != _PRIVATE:
                    it.chmod(_PRIVATE)
            if is_new:
                self._closing.enter_context(protected(folder))
        except OSError as error:
            raise StorageFailed(f"cannot use {folder}: {error.strerror}") from error
        return folder

    def open_database(self, plugin: str) -> Database:
        """Open a plugin's store, or raise `StorageFailed`; set aside and report a broken one."""
        folder = self.make_folder(plugin)
        database = Database(FILE, _SCHEMA, self._report, f"plugin {plugin} starts with an empty store")
        try:
            database.open(folder, _ANY)
        except Fault as fault:
            raise StorageFailed(str(fault)) from fault
        self._closing.callback(database.close)
        return database


class StoredEntries:
    """A plugin's folder and store; implements `PluginStorage`."""

    def __init__(self, plugin: str, storages: PluginStorages) -> None:
        self._plugin = plugin
        self._storages = storages
        self._database: Database | None = None
        self._opening = asyncio.Lock()
        self._changing = asyncio.Lock()
        self._holder: asyncio.Task[Any] | None = None

    @property
    def folder(self) -> Path:
        """The plugin's own folder."""
        return self._storages.make_folder(self._plugin)

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
        statement = (_SET, (_checked_key(key), _encode(key, value)))
        async with self._exclusive():
            await (await self._ready()).transact([statement])

    async def delete(self, key: str) -> bool:
        """Remove a key; return whether it existed."""
        async with self._exclusive():
            found = await self._get(_checked_key(key), _MISSING) is not _MISSING
            if found:
                await (await self._ready()).transact([(_DELETE, (key,))])
            return found

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Entries]:
        """Return a context whose changes are stored together at its end, or not at all if it raises."""
        async with self._exclusive():
            changes = _Changes(self._get, self._items)
            try:
                yield changes
            finally:
                changes.is_over = True
            if changes.texts:
                await (await self._ready()).transact(list(changes.statements()))

    async def _get(self, key: str, default: Any = None) -> Any:
        rows = await (await self._ready()).execute(_GET, key)
        return _decode(rows[0][0]) if rows else default

    async def _items(self, prefix: str) -> Mapping[str, Any]:
        rows = await (await self._ready()).execute(_ITEMS, prefix, prefix + _LAST_CHARACTER)
        return {key: _decode(text) for key, text in rows}

    async def _ready(self) -> Database:
        if self._database is None:
            async with self._opening:
                if self._database is None:
                    self._database = await STORAGE.run(self._storages.open_database, self._plugin)
        return self._database

    @asynccontextmanager
    async def _exclusive(self) -> AsyncIterator[None]:
        self._refuse_in_transaction()
        async with self._changing:
            self._holder = asyncio.current_task()
            try:
                yield
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

    def statements(self) -> Iterator[Statement]:
        for key, text in self.texts.items():
            yield (_DELETE, (key,)) if text is None else (_SET, (key, text))

    def _require_open(self) -> None:
        if self.is_over:
            raise RuntimeError("the transaction is over")


_MISSING = object()


def _folders(root: Path) -> list[Path]:
    try:
        return [Path(it.path) for it in os.scandir(root) if it.is_dir()]
    except OSError:
        return []


def _folder_name(plugin: str) -> str:
    """Return the folder name for a plugin, since single files may have any name."""
    name = quote(plugin, safe="")
    return f"%2E{name[1:]}" if name.startswith(".") else name


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
