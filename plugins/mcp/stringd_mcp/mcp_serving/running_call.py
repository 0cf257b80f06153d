"""A call of an agent while it runs: awaited, watched, cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractContextManager
from typing import Any

import anyio

from stringd.plugin import (
    EventFilter,
    Output,
    QuestionAnswered,
    QuestionAsked,
    QuestionWithdrawn,
    Refusal,
    Reply,
    RequestRefused,
    Runtime,
)
from stringd_mcp.mcp_serving.call_result import CallOutcome

_WATCHED = frozenset(it.kind for it in (Output, QuestionAsked, QuestionAnswered, QuestionWithdrawn))


class RunningCall:
    """A command or a tool in a task of its own, which outlasts the request that waits for it."""

    def __init__(
        self,
        runtime: Runtime,
        user_id: str,
        request_id: str,
        run: Coroutine[Any, Any, CallOutcome],
        cancel: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        self.user_id = user_id
        self.request_id = request_id
        self.asked: set[str] = set()
        """The ids of the questions that the agent's client has been asked."""
        self.problems: dict[str, str] = {}
        """What was wrong with the answers to questions that must be asked again."""
        self._runtime = runtime
        self._cancel = cancel
        self._task = asyncio.create_task(_answered(run))

    def watch(self) -> AbstractContextManager[Any]:
        """Return a context manager for the events of the call, from now on."""
        wanted = EventFilter(user_id=self.user_id, request_id=self.request_id, kinds=_WATCHED)
        return self._runtime.events.watch(wanted)

    @property
    def has_ended(self) -> bool:
        """Whether there is an outcome."""
        return self._task.done()

    def when_ended(self, call: Callable[[], object]) -> None:
        """Call a function once the call has ended."""
        self._task.add_done_callback(lambda _: call())

    async def wait(self, asking: asyncio.Future[Any]) -> None:
        """Return when the call has ended, or when its client must be asked something."""
        await asyncio.wait({self._task, asking}, return_when=asyncio.FIRST_COMPLETED)

    async def outcome(self) -> CallOutcome:
        """Return the outcome; if the waiting request is cancelled, the call is cancelled as by `/cancel`."""
        try:
            return await asyncio.shield(self._task)
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True):
                await self.cancel()
            raise

    async def cancel(self) -> None:
        """Cancel the call, and wait until it has ended."""
        if self._cancel:
            await self._cancel()
        else:
            self._task.cancel()
        await asyncio.wait({self._task})


async def _answered(run: Coroutine[Any, Any, CallOutcome]) -> CallOutcome:
    """Return the outcome, also of what is refused before it runs."""
    try:
        return await run
    except RequestRefused as refused:
        refusal = refused.as_refusal()
    except Refusal as refused:
        refusal = refused
    return CallOutcome(reply=Reply.error(refusal.code, refusal.message, *refusal.context))
