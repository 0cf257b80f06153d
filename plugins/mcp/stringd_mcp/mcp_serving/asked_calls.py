"""Calls whose agents are asked something in the answer, kept until they are sent again with it."""

from __future__ import annotations

import asyncio
import secrets

from stringd_mcp.mcp_serving.running_call import RunningCall

_MOST = 1_000
_KEPT_SECONDS = 600.0


class AskedCalls:
    """Keeps calls by a state that only the asked client knows."""

    def __init__(self) -> None:
        self._calls: dict[str, RunningCall] = {}

    def keep(self, call: RunningCall) -> str:
        """Keep a call, at least for some minutes after it has ended; return its state."""
        state = secrets.token_urlsafe(16)
        self._calls[state] = call
        while len(self._calls) > _MOST:
            del self._calls[next(iter(self._calls))]
        loop = asyncio.get_running_loop()
        call.when_ended(lambda: loop.call_later(_KEPT_SECONDS, self._calls.pop, state, None))
        return state

    def take(self, state: str, user_id: str) -> RunningCall | None:
        """Return a call of a user, once."""
        call = self._calls.get(state)
        if call is None or call.user_id != user_id:
            return None
        return self._calls.pop(state)
