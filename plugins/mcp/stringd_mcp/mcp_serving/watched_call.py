"""Wait for a call while its client is told of its progress and asked its questions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError

from mcp import types
from stringd.plugin import OpenQuestion, Output, Published, QuestionAsked, RequestRefused, Runtime
from stringd_mcp.mcp_serving.call_progress import CallProgress
from stringd_mcp.mcp_serving.call_result import CallOutcome
from stringd_mcp.mcp_serving.elicitation import answer_question, elicitation_of, may_elicit
from stringd_mcp.mcp_serving.running_call import RunningCall


class WatchedCall:
    """One request that waits for a call: a question may end it before the call has ended."""

    def __init__(self, runtime: Runtime, ctx: Any) -> None:
        self._runtime = runtime
        self._session = ctx.session
        self._request_id = ctx.request_id
        self._progress = (
            CallProgress(ctx.session) if (ctx.meta or {}).get("progress_token") is not None else None
        )
        self._may_ask = _has_forms(ctx.session.client_capabilities)

    @property
    def is_watched(self) -> bool:
        """Whether the client wants to know anything before the outcome."""
        return self._progress is not None or self._may_ask

    async def outcome(
        self, call: RunningCall, events: AsyncIterator[Published]
    ) -> CallOutcome | OpenQuestion:
        """Return the outcome of the call, or a question that the client must be asked in the answer."""
        asking: asyncio.Future[OpenQuestion] = asyncio.get_running_loop().create_future()
        watching = asyncio.create_task(self._follow(call, events, asking))
        try:
            await call.wait(asking)
        except asyncio.CancelledError:
            with anyio.CancelScope(shield=True):
                await call.cancel()
            raise
        finally:
            watching.cancel()
            with anyio.CancelScope(shield=True):
                await asyncio.wait({watching})
        return await call.outcome() if call.has_ended else asking.result()

    async def _follow(
        self, call: RunningCall, events: AsyncIterator[Published], asking: asyncio.Future[OpenQuestion]
    ) -> None:
        async with asyncio.TaskGroup() as forms:
            # Between two requests for one call, nobody watches.
            for asked in self._runtime.questions.listed(call.user_id):
                if asked.question.request_id == call.request_id:
                    await self._asked(call, asked.id, asking, forms)
            async for published in events:
                event = published.event
                if isinstance(event, Output) and self._progress:
                    await self._progress.report(event)
                elif isinstance(event, QuestionAsked):
                    await self._asked(call, event.question_id, asking, forms)

    async def _asked(
        self,
        call: RunningCall,
        question_id: str,
        asking: asyncio.Future[OpenQuestion],
        forms: asyncio.TaskGroup,
    ) -> None:
        try:
            asked = self._runtime.questions.get(question_id)
        except RequestRefused:
            return
        if self._progress:
            await self._progress.report_question(asked)
        if not (self._may_ask and may_elicit(asked)) or asked.id in call.asked:
            return
        call.asked.add(asked.id)
        if self._session.can_send_request:
            forms.create_task(self._elicit(call, asked))
        elif not asking.done():
            asking.set_result(asked)

    async def _elicit(self, call: RunningCall, asked: OpenQuestion) -> None:
        problem: str | None = ""
        with suppress(MCPError, ValueError, RequestRefused):
            while problem is not None:
                form = elicitation_of(asked, problem)
                result = await self._session.elicit_form(
                    form.message, form.requested_schema, self._request_id
                )
                problem = answer_question(self._runtime, asked.id, call.user_id, result)
                self._runtime.questions.get(asked.id)


def _has_forms(capabilities: types.ClientCapabilities | None) -> bool:
    if capabilities is None or capabilities.elicitation is None:
        return False
    found = capabilities.elicitation
    return found.form is not None or found.url is None
