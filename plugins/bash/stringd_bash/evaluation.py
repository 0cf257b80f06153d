"""A text that the shell evaluates, followed until there is something to tell."""

from __future__ import annotations

import asyncio
import itertools
import time
from enum import Enum, auto
from typing import Any

from stringd.plugin import Disconnected
from stringd_bash.buffer import Buffer
from stringd_bash.process_table import ProcessTable
from stringd_bash.shell import Ending, Shell
from stringd_bash.waiting import reads

# A program that has just been given something may need a moment to wake: one look is no proof.
_PAUSES = (0.02, 0.03, 0.05)
_LAST_PAUSE = 0.1
_LOOKS = 2
_QUIET_SECONDS = 0.5


class Standing(Enum):
    """How a program stands when its follower returns."""

    ENDED = auto()
    WAITING = auto()
    RUNNING = auto()
    FORSAKEN = auto()


class Evaluation:
    """What the shell is busy with, and what it has printed that nobody has been shown."""

    def __init__(
        self,
        shell: Shell,
        text: str,
        output: Buffer,
        ending: asyncio.Future[Ending],
        table: ProcessTable,
    ) -> None:
        self.shell = shell
        self.text = text
        self.output = output
        self.ending = ending
        self.known: float | None = None
        """When somebody was first told that it has not ended."""
        self.told: Standing | None = None
        """What was told of it last."""
        self.hid_typing = False
        """Whether what it waited for was not to be seen, when it was looked at last."""
        self._table = table

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return not self.ending.done()

    def tell(self, standing: Standing) -> None:
        """Note that somebody is told of it now."""
        self.known = self.known or time.monotonic()
        self.told = standing

    async def follow(
        self, seconds: float, left: Disconnected | None = None, *, for_news: bool = False
    ) -> Standing:
        """Return when it has ended, waits for input, the seconds are over, or whoever asked has left.

        With `for_news`, waiting for input counts only once it has printed something.
        """
        deadline = time.monotonic() + seconds
        watch = _Watch(self, self._table, for_news=for_news)
        departure = _Departure(left)
        pauses = itertools.chain(_PAUSES, itertools.repeat(_LAST_PAUSE))
        try:
            standing = None
            while standing is None:
                remaining = max(deadline - time.monotonic(), 0)
                await departure.wait_for(self.ending, min(next(pauses), remaining))
                standing = self._standing(watch, departure) or (None if remaining else watch.without_news)
            return standing
        finally:
            departure.forget()

    def _standing(self, watch: _Watch, departure: _Departure) -> Standing | None:
        # Whoever has left would be the only one to learn of the end.
        if departure.has_come:
            return Standing.FORSAKEN
        if not self.is_running:
            return Standing.ENDED
        return Standing.WAITING if watch.finds_it_waiting() else None


class _Departure:
    """Whether whoever asked has left; looked at from the second pause on: most programs end in the first."""

    def __init__(self, left: Disconnected | None) -> None:
        self._left = left
        self._task: asyncio.Future[None] | None = None
        self._has_paused = False

    @property
    def has_come(self) -> bool:
        """Whether there is nobody to answer any more."""
        return self._task is not None and self._task.done()

    async def wait_for(self, ending: asyncio.Future[Ending], seconds: float) -> None:
        """Return when the program has ended, whoever asked has left, or the seconds are over."""
        if self._left and self._has_paused and not self._task:
            self._task = asyncio.ensure_future(self._left())
        self._has_paused = True
        events: set[asyncio.Future[Any]] = {ending, self._task} if self._task else {ending}
        await asyncio.wait(events, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)

    def forget(self) -> None:
        """Look no longer."""
        if self._task:
            self._task.cancel()


class _Watch:
    """Looks at a program again and again, until looking twice gives the same answer."""

    def __init__(self, program: Evaluation, table: ProcessTable, *, for_news: bool) -> None:
        self._program = program
        self._table = table
        self._terminal = program.shell.terminal
        self._received = program.output.received
        self._lacks_news = for_news
        self._quiet_since = time.monotonic()
        self._looks = 0
        self._sleeps = for_news

    @property
    def without_news(self) -> Standing:
        """How the program stands when there is no more time to look."""
        return Standing.WAITING if self._sleeps else Standing.RUNNING

    def finds_it_waiting(self) -> bool:
        """Tell whether the program sleeps until something is typed, and has told the news."""
        self._sleeps = self._seems_asleep()
        return self._sleeps and not self._lacks_news

    def _seems_asleep(self) -> bool:
        if self._is_busy():
            return False
        processes = self._table.readers(self._program.shell.pid, self._terminal.foreground())
        found = reads(processes, self._terminal.name)
        if found is None:
            return self._seems_to_ask()
        self._looks = self._looks + 1 if found else 0
        return self._looks >= _LOOKS

    def _is_busy(self) -> bool:
        received = self._program.output.received
        if received == self._received and not self._terminal.has_input():
            return False
        self._lacks_news = self._lacks_news and received == self._received
        self._received = received
        self._quiet_since = time.monotonic()
        self._looks = 0
        return True

    def _seems_to_ask(self) -> bool:
        """Judge by what can be seen from outside: it is quiet, and the echo is off or a line unfinished."""
        is_quiet = time.monotonic() - self._quiet_since > _QUIET_SECONDS
        return is_quiet and (self._terminal.is_silent() or self._program.output.is_mid_line)
