"""The progress of a run as its messages tell it, and as one line. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from stringd.plugin.terminal_programs import columns, visible_line
from stringd.plugin.text import counted

_ELLIPSIS = "…"


class RunState(StrEnum):
    """How far a run is."""

    PREPARED = "prepared"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class RunProgress:
    """What a run does, and what it has done so far."""

    def __init__(self, prepared: Mapping[str, Any], now: float) -> None:
        self.run_id: str = prepared["runId"]
        self.strategy: str = prepared["strategyName"]
        self.agents: list[str] = [_name(it) for it in prepared["agents"]]
        self.state = RunState.PREPARED
        self.step = ""
        self.steps = 0
        self.tokens = 0
        self.active: dict[str, str] = {}
        """What the agents that are busy do, such as `thinking`."""
        self.result = ""
        self.failure = ""
        self._open_steps: list[str] = []
        self._total = _step_count(prepared.get("flowTree"))
        self._began = now

    @property
    def is_over(self) -> bool:
        """Whether the run has ended."""
        return self.state in {RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED}

    def follow(self, message: Mapping[str, Any]) -> None:
        """Note what a message of the run says."""
        match message["type"]:
            case "strategy_started":
                self.state = RunState.RUNNING
            case "step_started":
                self.steps += 1
                self.step = message["stepName"]
                self._open_steps.append(self.step)
            case "agent_streaming" if message["event"]["type"] != "done":
                self.active[message["agentName"]] = _activity(message["event"])
            case "agent_output":
                self.active.pop(message["agentName"], None)
                self.tokens += _tokens(message.get("usage"))
            case "request_input":
                self.active[message["agentName"]] = "asks"
            case "step_completed":
                self._complete(message["stepName"])
            case "strategy_completed" | "strategy_error":
                self._end(message)

    def place(self) -> str:
        """Return the active step and its number: `2/3 critic`."""
        if not self.steps:
            return self.strategy
        is_known = self._total and self.steps <= self._total
        return f"{self.steps}{f'/{self._total}' if is_known else ''} {self.step}"

    def line(self, now: float, width: int) -> str:
        """Return the active step, agents, tokens and elapsed time in fewer than so many columns."""
        doing = ", ".join(_named(agent, what, self.step) for agent, what in self.active.items())
        parts = (self.place(), doing, counted(self.tokens, "token"), clock(now - self._began))
        return clipped(visible_line(" · ".join(it for it in parts if it)), width - 1)

    def summary(self, now: float) -> str:
        """Return how the run has ended, in one line."""
        figures = (counted(self.steps, "step"), counted(self.tokens, "token"), clock(now - self._began))
        reason = f": {self.failure}" if self.failure else ""
        return visible_line(f"{self.state} in {figures[2]}, {figures[0]}, {figures[1]}{reason}")

    def _complete(self, step: str) -> None:
        if step in self._open_steps:
            self._open_steps.remove(step)
        self.active.pop(step, None)
        # The agents of a nested flow are not announced as steps.
        if not self._open_steps:
            self.active.clear()

    def _end(self, message: Mapping[str, Any]) -> None:
        self.active.clear()
        if error := message.get("error"):
            self.state = RunState.CANCELLED if error["code"] == "CANCELLED" else RunState.FAILED
            self.failure = error["message"]
        else:
            self.state = RunState.COMPLETED
            self.result = message["result"]


def clock(seconds: float) -> str:
    """Return a time such as `0:07` or `1:02:03`."""
    minutes, rest = divmod(int(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def clipped(line: str, width: int) -> str:
    """Return a line, or as much of its beginning as fits, with an ellipsis."""
    if columns(line) <= width:
        return line
    while line and columns(line) + 1 > width:
        line = line[:-1]
    return f"{line}{_ELLIPSIS}" if width > 0 else ""


def _name(agent: Any) -> str:
    return agent if isinstance(agent, str) else str(agent.get("name", "?"))


def _named(agent: str, what: str, step: str) -> str:
    return what if agent == step else f"{agent} {what}"


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


def _tokens(usage: Mapping[str, Any] | None) -> int:
    return sum((usage or {}).get(name, 0) for name in ("promptTokens", "completionTokens"))


def _step_count(tree: Any) -> int:
    """Return the number of top-level steps; 0 if it is unknown, as for a flow that repeats them."""
    if not isinstance(tree, dict) or tree.get("type") not in {"sequential", "broadcast"}:
        return 0
    steps = tree.get("steps", ())
    return len(steps) if isinstance(steps, list) else 0
