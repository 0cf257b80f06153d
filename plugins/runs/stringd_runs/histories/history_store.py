"""The histories of all runs in the data directory: read, listed, and closed where a daemon was killed."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from stringd.plugin.files import Directory
from stringd.plugin.workers import STORAGE
from stringd_runs.histories.history import History, read_history
from stringd_runs.histories.history_file import (
    HistoryFile,
    file_name,
    open_histories,
    open_to_read,
    run_id_of,
)
from stringd_runs.histories.history_records import ExecutionEnded, decode_line, encode_record
from stringd_runs.messages.daemon_replies import ErrorCode, RunStatus
from stringd_runs.messages.message_encoder import encode_event, timestamp
from stringd_runs.messages.run_events import EncodedEvent, RunError, StrategyError

log = logging.getLogger(__name__)

DAEMON_STOPPED = "daemon stopped"
_LONGEST_END = 64 * 1024


class HistoryStore:
    """The folder of histories; every read waits for `is_ready`: until `close_open` has been tried."""

    def __init__(self, data_dir: Path, is_ready: asyncio.Event) -> None:
        self._data_dir = data_dir
        self._is_ready = is_ready
        # Each with what identifies the content of its file.
        self._known_ends: dict[str, tuple[tuple[int, ...], ExecutionEnded | None]] = {}

    def file(self, run_id: str) -> HistoryFile:
        """Return the file to which a run appends."""
        return HistoryFile(self._data_dir, run_id)

    async def read(self, run_id: str) -> History | None:
        """Return the history of a run, None if it has none; raise `OSError` if it cannot be read."""
        await self._is_ready.wait()
        return await STORAGE.run(self._read, run_id)

    async def events(self, run_id: str, *, after: int, up_to: int) -> Sequence[EncodedEvent]:
        """Return the stored events with numbers after `after`, up to `up_to`; raise `OSError`."""
        await self._is_ready.wait()
        return await STORAGE.run(self._events, run_id, after, up_to)

    async def ended(self) -> Sequence[ExecutionEnded]:
        """Return the ends of all histories."""
        await self._is_ready.wait()
        return await STORAGE.run(self._ended)

    async def remove(self, run_ids: Collection[str]) -> None:
        """Remove histories, as far as they exist."""
        await STORAGE.run(self._remove, run_ids)

    async def close_open(self) -> None:
        """Note in each history that ends in the middle of an execution that the daemon has stopped."""
        try:
            await STORAGE.run(self._close_open)
        except OSError as error:
            log.warning("cannot read the histories of runs: %s", error)

    def _read(self, run_id: str) -> History | None:
        try:
            with self._folder() as folder:
                return read_history(_lines(folder, run_id))
        except FileNotFoundError:
            return None

    def _events(self, run_id: str, after: int, up_to: int) -> Sequence[EncodedEvent]:
        try:
            with self._folder() as folder:
                found = (_event(line) for line in _lines(folder, run_id))
                return [it for it in found if it and after < it.seq <= up_to]
        except FileNotFoundError:
            return ()

    def _ended(self) -> Sequence[ExecutionEnded]:
        return [end for _, end in self._ends() if end]

    def _remove(self, run_ids: Collection[str]) -> None:
        for run_id in run_ids:
            with suppress(FileNotFoundError), self._folder() as folder:
                folder.remove(file_name(run_id))

    def _close_open(self) -> None:
        for run_id, end in self._ends():
            if end is None:
                try:
                    self._close(run_id)
                except OSError as error:
                    log.warning("cannot close the history of run %s: %s", run_id, error)

    def _close(self, run_id: str) -> None:
        history = self._read(run_id)
        if history is None:
            return
        if history.ended:
            # What follows the end is a torn line that is longer than what lists read of a history.
            self._append(run_id, encode_record(history.ended))
            return
        started, seq = history.started, history.last_seq + 1
        error = RunError(code=ErrorCode.CANCELLED, message=DAEMON_STOPPED)
        event = encode_event(StrategyError(run_id=run_id, error=error), seq=seq)
        end = ExecutionEnded(
            run_id=run_id,
            user_id=started.user_id,
            strategy_name=started.strategy_name,
            directory=started.directory,
            status=RunStatus.CANCELLED,
            started_at=started.at,
            completed_at=timestamp(time.time()),
            last_seq=seq,
            outcome=DAEMON_STOPPED,
        )
        self._append(run_id, event.data, encode_record(end))

    def _append(self, run_id: str, *lines: bytes) -> None:
        file = self.file(run_id)
        try:
            file.append(b"".join(b"%b\n" % it for it in lines), sync=True)
        finally:
            file.close()

    def _ends(self) -> Iterator[tuple[str, ExecutionEnded | None]]:
        """Yield the id of each run in the folder, with its end unless it was left in the middle."""
        with suppress(FileNotFoundError), self._folder() as folder:
            with folder.entries() as entries:
                run_ids = sorted(filter(None, (run_id_of(it.name) for it in entries)))
            for run_id in self._known_ends.keys() - {*run_ids}:
                self._known_ends.pop(run_id, None)
            for run_id in run_ids:
                try:
                    yield run_id, self._end(folder, run_id)
                except OSError as error:
                    log.warning("cannot read the history of run %s: %s", run_id, error)

    def _end(self, folder: Directory, run_id: str) -> ExecutionEnded | None:
        """Return the end of a history, which is read again only if its file has changed."""
        status = folder.status(file_name(run_id))
        content = (status.st_ino, status.st_size, status.st_mtime_ns) if status else ()
        known = self._known_ends.get(run_id)
        if known is None or known[0] != content:
            known = self._known_ends[run_id] = content, _end(folder, run_id)
        return known[1]

    def _folder(self) -> Directory:
        return open_histories(self._data_dir)


def _lines(folder: Directory, run_id: str) -> Iterator[bytes]:
    with open_to_read(folder, run_id) as file:
        yield from file


def _end(folder: Directory, run_id: str) -> ExecutionEnded | None:
    """Return the end of a history, unless that was left in the middle; a torn last line does not count."""
    with open_to_read(folder, run_id) as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - _LONGEST_END))
        decoded = (decode_line(line) for line in reversed(file.read().splitlines()))
    last = next((it for it in decoded if it is not None), None)
    return last if isinstance(last, ExecutionEnded) else None


def _event(line: bytes) -> EncodedEvent | None:
    data = line.rstrip(b"\n")
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        return None
    seq = values.get("seq") if isinstance(values, dict) and "record" not in values else None
    return EncodedEvent(seq, data, is_piece=False) if isinstance(seq, int) else None
