"""When a client sends a request to a cluster again by itself: bounded, and only what can't run twice."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

from stringd.client.exec_stream import INCOMPLETE
from stringd.client.records import Result
from stringd.client.responses import RETRY_AFTER, ConnectionLost
from stringd.errors import (
    DaemonUnreachable,
    OutcomeUnknown,
    RequestRefused,
    StringdError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")
RUNS_ONCE = "0.2"
"""The protocol by which a command with a request id runs at most once, as `/health` names it."""
MOST_SECONDS = 15.0
_LONGEST_WAIT = 10.0
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 1.0
_TOO_MANY = 429
# What a proxy says in front of a node that went away.
_OF_PROXIES = frozenset({502, 503, 504})


class Repetition:
    """Follows the attempts to send one request.

    A request that was refused before it ran may be sent again; one that may have run, only if `runs_once`.
    """

    def __init__(
        self, *, runs_once: bool, was_connected: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._runs_once = runs_once
        self._was_connected = was_connected
        self._clock = clock
        self._deadline: float | None = None
        self._uncertain: Any = None
        self._has_waited = False
        self._pause = _FIRST_PAUSE

    def pause_after(self, outcome: object) -> float | None:
        """Return after how many seconds to send the request again; None if this is the end."""
        if _may_have_run(outcome):
            self._uncertain = outcome
            return self._next_pause(_wanted_pause(outcome)) if self._runs_once else None
        if isinstance(outcome, DaemonUnreachable):
            return self._next_pause(None) if self._was_connected else None
        wanted = _wanted_pause(outcome)
        if wanted is None or not isinstance(outcome, RequestRefused):
            return None
        return self._once(wanted) if outcome.status == _TOO_MANY else self._next_pause(wanted)

    def ended_with(self, outcome: Value | StringdError) -> Value:
        """Return the answer, or raise the failure.

        That the last attempt did not run says nothing about those before.
        """
        is_failure = isinstance(outcome, StringdError) and not isinstance(outcome, OutcomeUnknown)
        ended = self._uncertain if is_failure and self._uncertain is not None else outcome
        if isinstance(ended, StringdError):
            raise ended
        return ended

    def _once(self, wanted: float) -> float | None:
        is_again, self._has_waited = self._has_waited, True
        return None if is_again or wanted > _LONGEST_WAIT else wanted

    def _next_pause(self, wanted: float | None) -> float | None:
        now = self._clock()
        if self._deadline is None:
            self._deadline = now + MOST_SECONDS
        pause = max(self._pause, wanted or 0.0)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)
        return None if now + pause > self._deadline else pause


def attempted(send: Callable[[], Value]) -> Value | StringdError:
    """Return an answer, or the failure that a repetition may follow."""
    try:
        return send()
    except (RequestRefused, DaemonUnreachable) as failure:
        return failure


def _may_have_run(outcome: object) -> bool:
    """Whether a request may have run without an answer, and asking again may bring it."""
    if isinstance(outcome, Result):
        return outcome.code == INCOMPLETE
    if isinstance(outcome, OutcomeUnknown):
        return _wanted_pause(outcome) is not None
    if isinstance(outcome, RequestRefused):
        return outcome.code is None and outcome.status in _OF_PROXIES
    return isinstance(outcome, ConnectionLost)


def _wanted_pause(outcome: object) -> float | None:
    """Return the seconds of a refusal that says when to send the request again."""
    text = outcome.headers.get(RETRY_AFTER, "") if isinstance(outcome, RequestRefused) else ""
    return float(text) if text.isascii() and text.isdigit() else None
