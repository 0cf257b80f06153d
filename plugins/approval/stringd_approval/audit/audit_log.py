"""The log, for coroutines: entries that wait at the same time are written and synced together."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from stringd.plugin import Fault, StorageFailed
from stringd.plugin.events import ChangeSignals
from stringd.plugin.workers import STORAGE
from stringd_approval.audit.audit_log_file import AuditFailed, Entry, LogFile
from stringd_approval.audit.log_line import Head, encode_fields
from stringd_approval.audit.recorded_chain import RecordedChain

log = logging.getLogger(__name__)

_CLOSE_SECONDS = 2.0
LARGEST = 64 * 1024 * 1024
"""How many bytes a file may have before it is put aside."""


class _Waiting(Struct, frozen=True):
    entry: Entry
    written: asyncio.Future[Head]


class AuditLog:
    """Appends entries to `audit.jsonl` in a data directory, in the order of the calls.

    The file is opened when it is first written, and tried again after a failure. Use it in one event loop.
    With a `chain`, heads are recorded there, too; what is to be synced is first.
    """

    def __init__(self, data_dir: Path, *, chain: RecordedChain | None = None, largest: int = LARGEST) -> None:
        self._file = LogFile(data_dir, largest)
        self.chain = chain
        self._waiting: list[_Waiting] = []
        self._writer: asyncio.Task[None] | None = None
        self.changes = ChangeSignals()
        """Whenever entries were written or could not be, or their chain is looked at."""
        self.problem: str | None = None

    @property
    def head(self) -> Head | None:
        """The end of the chain; None as long as nothing was written or opened."""
        return self._file.head

    def append(self, kind: str, *, sync: bool, **fields: object) -> asyncio.Future[Head]:
        """Have an entry written, and synced to disk if asked to; await the head after it.

        Awaiting raises `AuditFailed` if it can't be written; then nothing of it is in the log, unless it is
        only the head that can't be recorded. A caller that is cancelled leaves the entry to be written.
        """
        entry = Entry(kind=kind, at=time.time(), fields=encode_fields(fields), sync=sync)
        waiting = _Waiting(entry, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._begin()
        return waiting.written

    async def open(self) -> None:
        """Open the file and mend its end, or raise `AuditFailed`."""
        self._begin()
        if self._writer:
            await asyncio.shield(self._writer)
        if self.problem is not None:
            raise AuditFailed(self.problem)

    async def close(self) -> Head | None:
        """Write what waits, close the file, and return the head."""
        while self._writer:
            # All is written soon, but recording the last head may wait for what is gone by now.
            await asyncio.wait((self._writer,), timeout=_CLOSE_SECONDS)
            if self._writer:
                break
        if self.head:
            await STORAGE.run(self._file.close)
        return self.head

    def _begin(self) -> None:
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_waiting())

    async def _write_waiting(self) -> None:
        try:
            await self._write_batch()
            while self._waiting:
                await self._write_batch()
        finally:
            self._writer = None

    async def _write_batch(self) -> None:
        batch, self._waiting = self._waiting, []
        is_urgent = any(it.entry.sync for it in batch)
        try:
            heads = await STORAGE.run(self._file.append, [it.entry for it in batch])
            if is_urgent:
                await self._record()
        except AuditFailed as error:
            self._fail(batch, str(error))
        except Exception as error:
            # Whoever waits must not take silence for success, nor wait for ever.
            log.exception("the log of requests failed")
            self._fail(batch, repr(error))
        else:
            self.problem = None
            for it, head in zip(batch, heads, strict=True):
                if not it.written.done():
                    it.written.set_result(head)
            if not is_urgent:
                await self._record_later()
        finally:
            self.changes.notify()

    async def _record(self) -> None:
        if self.chain is None or self.head is None:
            return
        try:
            await self.chain.record(self.head)
        except (StorageFailed, Fault) as failure:
            raise AuditFailed(f"the head of the log can't be recorded: {failure}") from failure

    async def _record_later(self) -> None:
        """Record the head of entries that nobody waits for; the next ones are recorded with it otherwise."""
        try:
            await self._record()
        except AuditFailed as failed:
            self.problem = str(failed)

    def _fail(self, batch: Sequence[_Waiting], problem: str) -> None:
        self.problem = problem
        for it in batch:
            if not it.written.done():
                it.written.set_exception(AuditFailed(problem))
