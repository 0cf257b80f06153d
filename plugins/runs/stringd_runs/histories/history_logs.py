"""The logs of histories in the folder of a data directory: what `AppendLogs` promises, for one daemon."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from stringd.plugin.files import Directory
from stringd.plugin.stores import LONGEST_END
from stringd.plugin.workers import STORAGE
from stringd_runs.histories.history_file import (
    HistoryFile,
    file_name,
    open_histories,
    open_to_read,
    run_id_of,
)

log = logging.getLogger(__name__)

Value = TypeVar("Value")


class HistoryFiles:
    """Histories as files; implements `AppendLogs`, but the owner is only known from the lines."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        # Each with what identifies the content of its file.
        self._known_ends: dict[str, tuple[tuple[int, ...], Any]] = {}

    def log(self, owner: str, name: str) -> HistoryFile:
        """Return the file to which a run appends."""
        return HistoryFile(self._data_dir, name)

    async def read(self, name: str, parse: Callable[[Iterable[bytes]], Value]) -> Value | None:
        """Return what a function makes of the lines of a history; None if there is none."""
        return await STORAGE.run(self._read, name, parse)

    async def ends(self, parse: Callable[[bytes], Value], *, owner: str | None = None) -> Mapping[str, Value]:
        """Return what a function makes of the last bytes of each history; always use the same function."""
        return await STORAGE.run(self._ends, parse)

    async def remove(self, names: Collection[str]) -> None:
        """Remove histories, as far as they exist."""
        await STORAGE.run(self._remove, names)

    def _read(self, name: str, parse: Callable[[Iterable[bytes]], Value]) -> Value | None:
        try:
            with open_histories(self._data_dir) as folder, open_to_read(folder, name) as file:
                return parse(file)
        except FileNotFoundError:
            return None

    def _ends(self, parse: Callable[[bytes], Value]) -> Mapping[str, Value]:
        found: dict[str, Value] = {}
        with suppress(FileNotFoundError), open_histories(self._data_dir) as folder:
            for name in self._names(folder):
                try:
                    found[name] = self._end(folder, name, parse)
                except OSError as error:
                    log.warning("cannot read the history of run %s: %s", name, error)
        return found

    def _names(self, folder: Directory) -> Collection[str]:
        with folder.entries() as entries:
            names = sorted(filter(None, (run_id_of(it.name) for it in entries)))
        for name in self._known_ends.keys() - {*names}:
            self._known_ends.pop(name, None)
        return names

    def _end(self, folder: Directory, name: str, parse: Callable[[bytes], Value]) -> Value:
        """Return the end of a history, which is read again only if its file has changed."""
        status = folder.status(file_name(name))
        content = (status.st_ino, status.st_size, status.st_mtime_ns) if status else ()
        known = self._known_ends.get(name)
        if known is None or known[0] != content:
            known = self._known_ends[name] = content, parse(_last_bytes(folder, name))
        value: Value = known[1]
        return value

    def _remove(self, names: Collection[str]) -> None:
        for name in names:
            with suppress(FileNotFoundError), open_histories(self._data_dir) as folder:
                folder.remove(file_name(name))


def _last_bytes(folder: Directory, name: str) -> bytes:
    with open_to_read(folder, name) as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - LONGEST_END))
        return file.read()
