"""A text that the shell evaluates, watched until there is something to report."""

from __future__ import annotations

import asyncio
import itertools
import time
from enum import Enum, auto
from typing import Any

from msgspec.structs import replace

from stringd.plugin import Disconnected, Reply
from stringd.plugin.processes import exit_line, shell_reply
from stringd.plugin.text import HeadTailBuffer
from stringd_bash.blocked_reads import waits_for_input
from stringd_bash.printed import Printed
from stringd_bash.process_table import ProcessTable
from stringd_bash.running_shell import Result, Shell

# A program that has just been given input may need a moment to wake up, so one look proves nothing.
_PAUSES = (0.02, 0.03, 0.05)
_LAST_PAUSE = 0.1
_LOOKS = 2
_QUIET_SECONDS = 0.5


class Progress(Enum):
    """The state of an evaluation when waiting for it returns."""

    ENDED = auto()
    WAITING = auto()
    RUNNING = auto()
    DISCONNECTED = auto()
    """The client has disconnected; the evaluation continues."""


class Evaluation:
    """A text being evaluated, and its output that has not been reported yet."""

    def __init__(
        self,
        shell: Shell,
        text: str,
        output: HeadTailBuffer,
        result: asyncio.Future[Result],
        table: ProcessTable,
    ) -> None:
        self.shell = shell
        self.text = text
        self.output = output
        self.result = result
        self.first_reported_at: float | None = None
        """When a reply first said that the evaluation continues."""
        self.last_reported: Progress | None = None
        """The state in the last reply."""
        self.is_awaited = False
        """Whether any request has waited for it that may send input on."""
        self.hid_typing = False
        """Whether input was not to be shown, when the state was last reported."""
        self._table = table

    @property
    def is_running(self) -> bool:
        """Whether the evaluation has not ended."""
        return not self.result.done()

    def mark_reported(self, progress: Progress) -> None:
        """Record that a reply now says this state."""
        self.first_reported_at = self.first_reported_at or time.monotonic()
        self.last_reported = progress

    async def wait(
        self, seconds: float, disconnected: Disconnected | None = None, *, for_output: bool = False
    ) -> Progress:
        """Wait until the evaluation ends or waits for input, the time is over, or the client disconnects.

        With `for_output`, waiting for input counts only after new output.
        """
        deadline = time.monotonic() + seconds
        detector = _InputDetector(self, self._table, for_output=for_output)
        client = _ClientWatch(disconnected)
        pauses = itertools.chain(_PAUSES, itertools.repeat(_LAST_PAUSE))
        try:
            progress = None
            while progress is None:
                remaining = max(deadline - time.monotonic(), 0)
                await client.wait_for(self.result, min(next(pauses), remaining))
                progress = self._progress(detector, client) or (None if remaining else detector.at_timeout)
            return progress
        finally:
            client.stop()

    def _progress(self, detector: _InputDetector, client: _ClientWatch) -> Progress | None:
        # First: if the client has gone, the end must stay to be reported to another one.
        if client.has_disconnected:
            return Progress.DISCONNECTED
        if not self.is_running:
            return Progress.ENDED
        return Progress.WAITING if detector.finds_waiting() else None


class _ClientWatch:
    """Tells whether the client has disconnected.

    It begins with the second pause, as most evaluations end during the first.
    """

    def __init__(self, disconnected: Disconnected | None) -> None:
        self._disconnected = disconnected
        self._task: asyncio.Future[None] | None = None
        self._has_paused = False

    @property
    def has_disconnected(self) -> bool:
        """Whether there is no client to answer any more."""
        return self._task is not None and self._task.done()

    async def wait_for(self, result: asyncio.Future[Result], seconds: float) -> None:
        """Return when there is a result, the client has disconnected, or the time is over."""
        if self._disconnected and self._has_paused and not self._task:
            self._task = asyncio.ensure_future(self._disconnected())
        self._has_paused = True
        events: set[asyncio.Future[Any]] = {result, self._task} if self._task else {result}
        await asyncio.wait(events, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)

    def stop(self) -> None:
        """Stop watching."""
        if self._task:
            self._task.cancel()


class _InputDetector:
    """Looks repeatedly whether an evaluation waits for input, until two looks agree."""

    def __init__(self, evaluation: Evaluation, table: ProcessTable, *, for_output: bool) -> None:
        self._evaluation = evaluation
        self._table = table
        self._terminal = evaluation.shell.terminal
        self._received = evaluation.output.received
        self._lacks_output = for_output
        self._quiet_since = time.monotonic()
        self._looks = 0
        self._is_asleep = for_output

    @property
    def at_timeout(self) -> Progress:
        """The state to report when there is no time for another look."""
        return Progress.WAITING if self._is_asleep else Progress.RUNNING

    def finds_waiting(self) -> bool:
        """Tell whether the evaluation sleeps until something is typed, and has printed what it must."""
        self._is_asleep = self._seems_asleep()
        return self._is_asleep and not self._lacks_output

    def _seems_asleep(self) -> bool:
        if self._is_busy():
            return False
        shell = self._evaluation.shell
        readers = self._table.terminal_readers(shell.pid, self._terminal.foreground())
        waits = waits_for_input(readers, self._terminal.name)
        if waits is None:
            return self._seems_to_ask()
        self._looks = self._looks + 1 if waits else 0
        return self._looks >= _LOOKS

    def _is_busy(self) -> bool:
        received = self._evaluation.output.received
        if received == self._received and not self._terminal.has_input():
            return False
        self._lacks_output = self._lacks_output and received == self._received
        self._received = received
        self._quiet_since = time.monotonic()
        self._looks = 0
        return True

    def _seems_to_ask(self) -> bool:
        """Judge from outside: no output for a while, and the echo is off or the last line unfinished."""
        is_quiet = time.monotonic() - self._quiet_since > _QUIET_SECONDS
        return is_quiet and (self._terminal.is_silent() or self._evaluation.output.is_mid_line)


_STATES = {Progress.WAITING: "waiting", Progress.RUNNING: "running", Progress.DISCONNECTED: "running"}


def progress_reply(progress: Progress, result: Result | None, cwd: str, printed: Printed) -> Reply:
    """Return the reply with the state of an evaluation and its new output."""
    return replace(shell_reply(_state(progress, result), cwd, printed.text), whole=printed.whole)


def state_reply(progress: Progress, result: Result | None, cwd: str) -> Reply:
    """Return the state alone, as another request gets the output and the error code."""
    line = exit_line(_state(progress, result), cwd)
    return Reply.output(line, "[the request that runs it gets the output]")


def idle_reply(status: int, cwd: str, note: str) -> Reply:
    """Return the reply of a shell that evaluates nothing."""
    return Reply.output(exit_line(status, cwd), f"[{note}]")


def _state(progress: Progress, result: Result | None) -> int | str:
    return result.status if result else _STATES[progress]
