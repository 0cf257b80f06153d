"""The events that runs publish among those of the daemon, however the run was started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from stringd.plugin import Event, EventKind

TOPIC_TYPE = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    """A run was started or continued."""

    kind: ClassVar[str] = "run-started"

    strategy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResumed(Event):
    """A run that was interrupted goes on, after this many finished calls of agents."""

    kind: ClassVar[str] = "run-resumed"

    finished_calls: int


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


RUN_EVENT_KINDS = tuple(EventKind(event=it) for it in (RunStarted, RunResumed, RunStep, RunAsks, RunEnded))
