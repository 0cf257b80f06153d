"""The histories of all runs: read, listed, and closed where a daemon was killed."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Collection, Iterable, Sequence

from stringd.plugin.stores import AppendLog, AppendLogs
from stringd_runs.histories.history import History, read_history
from stringd_runs.histories.history_records import ExecutionEnded, decode_line, encode_record
from stringd_runs.histories.interrupted_execution import InterruptedExecution, read_interrupted
from stringd_runs.messages.daemon_replies import RunErrorCode, RunStatus
from stringd_runs.messages.message_encoder import encode_event, timestamp
from stringd_runs.messages.run_events import EncodedEvent, RunError, StrategyError

log = logging.getLogger(__name__)

DAEMON_STOPPED = "daemon stopped"


class HistoryStore:
    """The histories in some logs; every read waits for `is_ready`: until `close_open` has been tried."""

    def __init__(self, logs: AppendLogs, is_ready: asyncio.Event, *, is_shared: bool = False) -> None:
        self._logs = logs
        self._is_ready = is_ready
        self.is_shared = is_shared
        """Whether other nodes may carry on with the runs of this one."""

    def log(self, user_id: str, run_id: str) -> AppendLog:
        """Return the log to which a run appends."""
        return self._logs.log(user_id, run_id)

    async def read(self, run_id: str) -> History | None:
        """Return the history of a run, None if it has none; raise `OSError` if it cannot be read."""
        await self._is_ready.wait()
        return await self._logs.read(run_id, read_history)

    async def events(self, run_id: str, *, after: int, up_to: int) -> Sequence[EncodedEvent]:
        """Return the stored events with numbers after `after`, up to `up_to`; raise `OSError`."""

        def wanted(lines: Iterable[bytes]) -> Sequence[EncodedEvent]:
            return [it for it in map(_event, lines) if it and after < it.seq <= up_to]

        await self._is_ready.wait()
        return await self._logs.read(run_id, wanted) or ()

    async def ended(self, user_id: str | None = None) -> Sequence[ExecutionEnded]:
        """Return the ends of all histories; with a user, those of others may be left out."""
        await self._is_ready.wait()
        ends = await self._logs.ends(_end, owner=user_id)
        return [it for it in ends.values() if it]

    async def interrupted(self, user_id: str) -> Sequence[str]:
        """Return the runs of a user whose histories end in the middle of an execution."""
        ends = await self._logs.ends(_end, owner=user_id)
        return [run_id for run_id, end in ends.items() if end is None]

    async def read_interrupted(self, run_id: str) -> InterruptedExecution | None:
        """Return what an execution had done that was interrupted; None if there is none; raise `OSError`."""
        return await self._logs.read(run_id, read_interrupted)

    async def remove(self, run_ids: Collection[str]) -> None:
        """Remove histories, as far as they exist."""
        await self._logs.remove(run_ids)

    async def close_open(self) -> None:
        """Note in each history that ends in the middle of an execution that the daemon has stopped."""
        try:
            ends = await self._logs.ends(_end)
        except OSError as error:
            log.warning("cannot read the histories of runs: %s", error)
            return
        for run_id, end in ends.items():
            if end is None:
                await self._close(run_id)

    async def _close(self, run_id: str) -> None:
        try:
            history = await self._logs.read(run_id, read_history)
            if history and history.ended:
                # What follows the end is a torn line that is longer than what lists read of a history.
                await self._append(history, encode_record(history.ended))
            elif history:
                await self._cancel(history)
        except OSError as error:
            log.warning("cannot close the history of run %s: %s", run_id, error)

    async def _cancel(self, history: History) -> None:
        error = RunError(code=RunErrorCode.CANCELLED, message=DAEMON_STOPPED)
        cancelled = StrategyError(run_id=history.started.run_id, error=error)
        event = encode_event(cancelled, seq=history.last_seq + 1)
        await self.close_interrupted(history, event, RunStatus.CANCELLED, DAEMON_STOPPED)

    async def close_interrupted(
        self, history: History, event: EncodedEvent, status: RunStatus, reason: str
    ) -> None:
        """Note the last event and the end of an execution that was interrupted; raise `OSError`."""
        started = history.started
        end = ExecutionEnded(
            run_id=started.run_id,
            user_id=started.user_id,
            strategy_name=started.strategy_name,
            directory=started.directory,
            status=status,
            started_at=started.at,
            completed_at=timestamp(time.time()),
            last_seq=event.seq,
            outcome=reason,
        )
        await self._append(history, event.data, encode_record(end))

    async def _append(self, history: History, *lines: bytes) -> None:
        appended = self.log(history.started.user_id, history.started.run_id)
        try:
            await appended.append(b"".join(b"%b\n" % it for it in lines), sync=True, is_over=True)
        finally:
            await appended.close()


def _end(data: bytes) -> ExecutionEnded | None:
    """Return the end of a history, unless that was left in the middle; a torn last line does not count."""
    decoded = (decode_line(line) for line in reversed(data.splitlines()))
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
