"""The events of runs among those of the daemon: of each run, whoever has started it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from stringd.plugin import Event, EventKind, Output

if TYPE_CHECKING:
    from stringd.plugin import Events
    from stringd_runs.messages.run_events import EncodedEvent

TOPIC_TYPE = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    """A run was started or continued."""

    kind: ClassVar[str] = "run-started"

    strategy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStep(Event):
    """A top-level step of a run has begun."""

    kind: ClassVar[str] = "run-step"

    step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAsks(Event):
    """A run waits for the answer of a person."""

    kind: ClassVar[str] = "run-asks"

    agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(Event):
    """A run has ended; the code is None if it was completed."""

    kind: ClassVar[str] = "run-ended"

    code: str | None


RUN_EVENT_KINDS = tuple(EventKind(event=it) for it in (RunStarted, RunStep, RunAsks, RunEnded))


class RunPublisher:
    """Publishes the events of one run; a subscriber of it."""

    def __init__(self, events: Events, user_id: str, run_id: str) -> None:
        self._events = events
        self._common = {"user_id": user_id, "topic": f"{TOPIC_TYPE}:{run_id}"}

    def deliver(self, event: EncodedEvent) -> None:
        """Publish an event, or nothing of a piece that nobody watches."""
        if event.is_piece and not self._events.is_watched:
            return
        message = json.loads(event.data)
        make = _MADE.get(message["type"])
        published = make(message) if make else None
        if published:
            kind, fields = published
            common = {**self._common, "request_id": message.get("requestId")}
            self._events.publish(kind(**common, **fields))


def _streamed(message: Mapping[str, Any]) -> tuple[type[Event], dict[str, Any]] | None:
    event = message["event"]
    if event["type"] != "text":
        return None
    return Output, {"text": event["text"], "source": message["agentName"]}


_MADE: Mapping[str, Callable[[Mapping[str, Any]], tuple[type[Event], dict[str, Any]] | None]] = {
    "strategy_started": lambda it: (RunStarted, {"strategy": it["strategyName"]}),
    "step_started": lambda it: (RunStep, {"step": it["stepName"]}),
    "agent_streaming": _streamed,
    "request_input": lambda it: (RunAsks, {"agent": it["agentName"]}),
    "strategy_completed": lambda _: (RunEnded, {"code": None}),
    "strategy_error": lambda it: (RunEnded, {"code": it["error"]["code"]}),
}
