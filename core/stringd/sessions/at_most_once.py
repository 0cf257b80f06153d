"""Run a command with a request id at most once, however often it is sent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from stringd.api.replies import Outcome
from stringd.api.stores import RequestStore
from stringd.errors import ErrorCode, HomeMoved, ShuttingDown, StorageFailed
from stringd.sessions.live_session import LiveSession

log = logging.getLogger(__name__)

Run: TypeAlias = Callable[[], Awaitable[Outcome]]
_ABANDON_SECONDS = 1.0


class AtMostOnce:
    """Looks up requests before their commands run, and keeps the outcomes."""

    def __init__(self, requests: RequestStore) -> None:
        self._requests = requests

    async def run(self, session: LiveSession, request_id: str, run: Run) -> Outcome:
        """Run the command of a request and keep its outcome, or return the outcome that it has had.

        `run` returns when the topic's state is stored. What ends without an outcome remains unknown.
        """
        earlier = await self._begin(session, request_id)
        if earlier is not None:
            return earlier
        outcome = await run()
        if _was_interrupted(session, outcome):
            return outcome
        try:
            await self._requests.finish(session, request_id, outcome)
        except StorageFailed as failure:
            return outcome.failed(failure.as_refusal(), session.state.document)
        return outcome

    async def _begin(self, session: LiveSession, request_id: str) -> Outcome | None:
        """Note that a request begins, unless its topic ends meanwhile: its command never runs then."""
        try:
            earlier = await self._requests.begin(session, request_id)
        except asyncio.CancelledError:
            await self._abandon(session, request_id)
            raise
        if earlier is None and session.ended:
            await self._abandon(session, request_id)
            raise session.ended
        return earlier

    async def _abandon(self, session: LiveSession, request_id: str) -> None:
        try:
            async with asyncio.timeout(_ABANDON_SECONDS):
                await self._requests.abandon(session, request_id)
        except (StorageFailed, TimeoutError):
            log.warning("a request of %s:%s never ran, but may count as begun", session.user.id, session.name)


def _was_interrupted(session: LiveSession, outcome: Outcome) -> bool:
    """Whether a command was cut short by the end of the daemon, or because the home moved."""
    code, ended = outcome.reply.code, session.ended
    if code == ErrorCode.OUTCOME_UNKNOWN:
        return True
    return isinstance(ended, HomeMoved | ShuttingDown) and code == ended.code
