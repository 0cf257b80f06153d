"""The folders and key-value stores of plugins, below `plugins/` in the data directory."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, nullcontext
from functools import partial
from pathlib import Path
from urllib.parse import quote

from stringd.errors import Fault, StorageFailed
from stringd.files.protected import protected
from stringd.storage.database import Database
from stringd.storage.plugin_entries import EntryTable, StoredEntries
from stringd.workers.threads import STORAGE

FOLDER = "plugins"
FILE = "store.db"
_PRIVATE = 0o700
_SCHEMA = "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL)"
_ANY = "SELECT 1 FROM entries LIMIT 1"
_GET = "SELECT value FROM entries WHERE key = ?"
_SET = "INSERT OR REPLACE INTO entries VALUES (?, ?)"
_DELETE = "DELETE FROM entries WHERE key = ?"
_ITEMS = "SELECT key, value FROM entries WHERE key >= ?1 AND key < ?2 ORDER BY key"
_LAST_CHARACTER = "\U0010ffff"


class LocalStorages:
    """The storage of all plugins, available while the data directory is open.

    With `make_table`, the entries of a plugin are in the table that it returns for the plugin's name.
    """

    def __init__(
        self, report: Callable[[str], None], make_table: Callable[[str], EntryTable] | None = None
    ) -> None:
        self._report = report
        self._make_table = make_table
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
            folder, table = partial(self._make_folder, plugin), partial(self._open_table, plugin)
            self._by_plugin[plugin] = StoredEntries(folder, table)
        return self._by_plugin[plugin]

    def _make_folder(self, plugin: str) -> Path:
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

    async def _open_table(self, plugin: str) -> EntryTable:
        if self._make_table:
            return self._make_table(plugin)
        return LocalEntries(await STORAGE.run(self._open_database, plugin))

    def _open_database(self, plugin: str) -> Database:
        """Open a plugin's store, or raise `StorageFailed`; set aside and report a broken one."""
        folder = self._make_folder(plugin)
        database = Database(FILE, _SCHEMA, self._report, f"plugin {plugin} starts with an empty store")
        try:
            database.open(folder, _ANY)
        except Fault as fault:
            raise StorageFailed(str(fault)) from fault
        self._closing.callback(database.close)
        return database


class LocalEntries:
    """The entries of one plugin in a SQLite file; implements `EntryTable`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, key: str) -> str | None:
        """Return the text of a key, or None."""
        rows = await self._database.execute(_GET, key)
        return rows[0][0] if rows else None

    async def items(self, prefix: str) -> Sequence[tuple[str, str]]:
        """Return the entries whose keys begin with a prefix, sorted by key."""
        return await self._database.execute(_ITEMS, prefix, prefix + _LAST_CHARACTER)

    async def change(self, entries: Sequence[tuple[str, str | None]]) -> None:
        """Set all entries, or remove those without a text."""
        await self._database.transact(
            [(_DELETE, (key,)) if text is None else (_SET, (key, text)) for key, text in entries]
        )

    def exclusive(self) -> AbstractAsyncContextManager[None]:
        """Return an empty context: the data directory is locked for this daemon."""
        return nullcontext()


def _folders(root: Path) -> list[Path]:
    try:
        return [Path(it.path) for it in os.scandir(root) if it.is_dir()]
    except OSError:
        return []


def _folder_name(plugin: str) -> str:
    """Return the folder name for a plugin, since single files may have any name."""
    name = quote(plugin, safe="")
    return f"%2E{name[1:]}" if name.startswith(".") else name
