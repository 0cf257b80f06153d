"""The progress of a run as its messages tell it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct

MOST_STEPS = 1_000
"""How many steps are remembered: a cycle may have no end."""


class RunState(StrEnum):
    """The state of a run."""

    PREPARED = "prepared"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class StepProgress(Struct, kw_only=True):
    """A top-level step of the present execution."""

    name: str
    tokens: int = 0
    is_completed: bool = False


class RunProgress:
    """What a run does, and what its present execution has done so far."""

    def __init__(self) -> None:
        self.strategy = ""
        self.agents: Sequence[str] = ()
        self.planned: Sequence[str] = ()
        """The names of the top-level steps; empty if they are repeated, or not known."""
        self.state = RunState.PREPARED
        self.steps: deque[StepProgress] = deque(maxlen=MOST_STEPS)
        """The latest steps."""
        self.begun_steps = 0
        """The number of all steps so far."""
        self.tokens = 0
        self.active: dict[str, str] = {}
        """What the agents that are busy do, such as `thinks`."""
        self.asked: dict[str, str] = {}
        """The people who are asked, and what they are shown."""
        self.result = ""
        self.failure = ""
        self.failure_code = ""

    @property
    def is_over(self) -> bool:
        """Whether the run has ended."""
        return self.state in {RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED}

    @property
    def step(self) -> str:
        """The name of the latest step."""
        return self.steps[-1].name if self.steps else ""

    def prepare(self, strategy: str, agents: Sequence[str], flow_tree: Mapping[str, Any]) -> None:
        """Note what is going to be run, or runs."""
        self.strategy, self.agents, self.planned = strategy, tuple(agents), _planned(flow_tree)
        if self.is_over:
            self.state = RunState.PREPARED

    def follow(self, message: Mapping[str, Any]) -> None:
        """Update the progress from a message of the run."""
        follow = _FOLLOWED.get(message["type"])
        if follow:
            follow(self, message)

    def place(self) -> str:
        """Return the latest step and its number: `2/3 critic`."""
        number, total = self.begun_steps, len(self.planned)
        if not number:
            return self.strategy
        return f"{number}{f'/{total}' if number <= total else ''} {self.step}"


def _begin(progress: RunProgress, message: Mapping[str, Any]) -> None:
    """Begin an execution; nothing of an earlier one remains."""
    progress.prepare(message["strategyName"], message["agents"], message["flowTree"])
    progress.state = RunState.RUNNING
    progress.steps.clear()
    progress.begun_steps = 0
    progress.active.clear()
    progress.asked.clear()
    progress.tokens = 0
    progress.result = progress.failure = progress.failure_code = ""


def _resume(progress: RunProgress, _: Mapping[str, Any]) -> None:
    """Forget what had not finished: it begins anew."""
    progress.active.clear()
    progress.asked.clear()


def _begin_step(progress: RunProgress, message: Mapping[str, Any]) -> None:
    progress.steps.append(StepProgress(name=message["stepName"]))
    progress.begun_steps += 1


def _stream(progress: RunProgress, message: Mapping[str, Any]) -> None:
    event = message["event"]
    if event["type"] != "done":
        progress.active[message["agentName"]] = _activity(event)


def _answer(progress: RunProgress, message: Mapping[str, Any]) -> None:
    progress.active.pop(message["agentName"], None)
    progress.tokens += _tokens(message["usage"])


def _ask(progress: RunProgress, message: Mapping[str, Any]) -> None:
    agent = message["agentName"]
    progress.asked[agent] = message["prompt"]
    progress.active[agent] = "is asked"


def _complete_step(progress: RunProgress, message: Mapping[str, Any]) -> None:
    name = message["stepName"]
    open_steps = [it for it in progress.steps if not it.is_completed]
    for step in (it for it in open_steps if it.name == name):
        step.is_completed = True
        step.tokens = _tokens(message["result"]["usage"])
        break
    progress.active.pop(name, None)
    progress.asked.pop(name, None)
    # The agents of a nested flow are not announced as steps.
    if all(it.is_completed for it in open_steps):
        progress.active.clear()
        progress.asked.clear()


def _end(progress: RunProgress, message: Mapping[str, Any]) -> None:
    progress.active.clear()
    progress.asked.clear()
    if error := message.get("error"):
        progress.failure, progress.failure_code = error["message"], error["code"]
        is_cancelled = progress.failure_code == "CANCELLED"
        progress.state = RunState.CANCELLED if is_cancelled else RunState.FAILED
    else:
        progress.state = RunState.COMPLETED
        progress.result = message["result"]


def _activity(event: Mapping[str, Any]) -> str:
    match event["type"]:
        case "thinking-start" | "thinking":
            return "thinks"
        case "tool-call":
            return f"calls {event['toolName']}"
        case "step-start" | "tool-result" | "thinking-end":
            return "waits"
        case _:
            return "answers"


def _tokens(usage: Mapping[str, int]) -> int:
    return usage["promptTokens"] + usage["completionTokens"]


def _planned(tree: Mapping[str, Any]) -> Sequence[str]:
    """Return the names of the steps that are made once each."""
    if tree["type"] not in {"sequential", "broadcast"}:
        return ()
    return tuple(it["name"] for it in tree["steps"])


_FOLLOWED: Mapping[str, Callable[[RunProgress, Mapping[str, Any]], None]] = {
    "strategy_started": _begin,
    "strategy_resumed": _resume,
    "step_started": _begin_step,
    "agent_streaming": _stream,
    "agent_output": _answer,
    "request_input": _ask,
    "step_completed": _complete_step,
    "strategy_completed": _end,
    "strategy_error": _end,
}
