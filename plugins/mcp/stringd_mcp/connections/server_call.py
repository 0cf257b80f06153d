"""Commands that wait for a server: their time limits, and the questions that the server asks meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from msgspec import Struct, field
from msgspec.structs import replace

from stringd.plugin import Answer, ErrorCode, Invocation, Question, Refusal
from stringd.plugin.events import OutputFeed

ASKER = "mcp"
_LONGEST_PROGRESS = 500


class ServerCall(Struct, kw_only=True):
    """One command; its time limit does not run while a person is asked."""

    invocation: Invocation
    server: str
    feed: OutputFeed
    notices: list[str] = field(default_factory=list)
    _limit: asyncio.Timeout | None = None
    _open_questions: int = 0
    _remaining: float = 0.0

    @asynccontextmanager
    async def limited(self, seconds: float, what: str) -> AsyncIterator[None]:
        """Refuse with `TIMEOUT` what takes longer than this."""
        try:
            async with asyncio.timeout(seconds) as self._limit:
                yield
        except TimeoutError:
            if not self._limit or not self._limit.expired():
                raise
            message = f"{what} took longer than {seconds:g} s, so it was cancelled."
            raise Refusal(ErrorCode.TIMEOUT, message) from None
        finally:
            self._limit = None

    async def ask(self, question: Question) -> Answer:
        """Ask on behalf of the command."""
        self._pause()
        try:
            return await self.invocation.ask(replace(question, asked_by=ASKER))
        finally:
            self._resume()

    async def report(self, progress: float, total: float | None, message: str | None) -> None:
        """Publish the progress that the server reports."""
        self.feed.report(self.server, int(progress), None if total is None else int(total), "steps")
        if message:
            self.feed.write(f"{message[:_LONGEST_PROGRESS]}\n", self.server)

    def _pause(self) -> None:
        self._open_questions += 1
        if self._open_questions == 1 and self._limit and (when := self._limit.when()) is not None:
            self._remaining = when - asyncio.get_running_loop().time()
            self._limit.reschedule(None)

    def _resume(self) -> None:
        self._open_questions -= 1
        if not self._open_questions and self._limit and not self._limit.expired():
            self._limit.reschedule(asyncio.get_running_loop().time() + self._remaining)


class WaitingCalls:
    """The commands that wait for one server, the newest last."""

    def __init__(self) -> None:
        self._calls: list[ServerCall] = []

    @contextmanager
    def call(self, call: ServerCall) -> Iterator[None]:
        """Count a command among those that wait."""
        self._calls.append(call)
        try:
            yield
        finally:
            self._calls.remove(call)

    def newest(self) -> ServerCall | None:
        """Return the newest command that waits: servers do not say which one their questions belong to."""
        return self._calls[-1] if self._calls else None
