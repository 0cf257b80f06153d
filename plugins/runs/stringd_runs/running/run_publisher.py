"""Publishes events of runs among those of the daemon."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from stringd.plugin import Event, Events, Output
from stringd_runs.messages.run_events import EncodedEvent
from stringd_runs.running.run_event_kinds import (
    TOPIC_TYPE,
    RunAsks,
    RunEnded,
    RunResumed,
    RunStarted,
    RunStep,
)
from stringd_runs.running.run_feed import RunFeed

_Published: TypeAlias = tuple[type[Event], dict[str, Any]] | None


def published_feed(events: Events, user_id: str, run_id: str, last_seq: int) -> RunFeed:
    """Return the feed of a run that is published, too."""
    return RunFeed(last_seq=last_seq, deliver_also=RunPublisher(events, user_id, run_id).publish)


class RunPublisher:
    """Publishes the events of one run."""

    def __init__(self, events: Events, user_id: str, run_id: str) -> None:
        self._events = events
        self._common = {"user_id": user_id, "topic": f"{TOPIC_TYPE}:{run_id}"}

    def publish(self, event: EncodedEvent) -> None:
        """Publish an event, or nothing of a piece that nobody watches."""
        if event.is_piece and not self._events.is_watched:
            return
        message = json.loads(event.data)
        make = _MADE.get(message["type"])
        if make and (published := make(message)):
            kind, fields = published
            common = {**self._common, "request_id": message.get("requestId")}
            self._events.publish(kind(**common, **fields))


def _streamed(message: Mapping[str, Any]) -> _Published:
    event = message["event"]
    if event["type"] != "text":
        return None
    return Output, {"text": event["text"], "source": message["agentName"]}


_MADE: Mapping[str, Callable[[Mapping[str, Any]], _Published]] = {
    "strategy_started": lambda it: (RunStarted, {"strategy": it["strategyName"]}),
    "strategy_resumed": lambda it: (RunResumed, {"finished_calls": it["finishedCalls"]}),
    "step_started": lambda it: (RunStep, {"step": it["stepName"]}),
    "agent_streaming": _streamed,
    "request_input": lambda it: (RunAsks, {"agent": it["agentName"]}),
    "strategy_completed": lambda _: (RunEnded, {"code": None}),
    "strategy_error": lambda it: (RunEnded, {"code": it["error"]["code"]}),
}
