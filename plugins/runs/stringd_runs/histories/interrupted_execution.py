"""What an execution had done when it was interrupted, so that it can go on after its last finished call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from msgspec import Struct, field

from stringd_runs.agent_events import AgentResult, ContextUsage, Usage
from stringd_runs.histories.history import History, read_history
from stringd_runs.histories.history_records import AgentCalled, ExecutionStarted, decode_line


class FinishedCall(Struct, frozen=True, kw_only=True):
    """A call of an agent that has ended: what it was given, as a digest, and what came of it."""

    agent: str
    given: str
    result: AgentResult
    cost: float | None = None
    steering: tuple[str, ...] = ()
    """The texts that the call has taken into account."""

    def as_json(self) -> Mapping[str, Any]:
        """Return the call as a history has it; the agent is beside it."""
        result = self.result
        return {
            "given": self.given,
            "text": result.text,
            "finish_reason": result.finish_reason,
            "prompt_tokens": result.usage.prompt_tokens,
            "completion_tokens": result.usage.completion_tokens,
            "context_tokens": result.context_usage and result.context_usage.tokens,
            "context_window": result.context_usage and result.context_usage.context_window,
            "cost": self.cost,
            "steering": list(self.steering),
        }


def finished_call(agent: str, values: Mapping[str, Any]) -> FinishedCall:
    """Return a call from a history."""
    tokens = values["context_tokens"]
    usage = None if tokens is None else ContextUsage(tokens=tokens, context_window=values["context_window"])
    return FinishedCall(
        agent=agent,
        given=values["given"],
        result=AgentResult(
            text=values["text"],
            usage=Usage(prompt_tokens=values["prompt_tokens"], completion_tokens=values["completion_tokens"]),
            context_usage=usage,
            finish_reason=values["finish_reason"],
        ),
        cost=values["cost"],
        steering=tuple(values["steering"]),
    )


def digest_of(text: str) -> str:
    """Return what identifies a text that an agent is given."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


class DoneBefore(Struct, kw_only=True):
    """What was done before an execution was interrupted, and has not been come to again by its flow."""

    calls: list[FinishedCall] = field(default_factory=list)
    steps: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """How often each step was announced: the type of the event, the step, and its text."""

    def take_call(self, agent: str, text: str) -> FinishedCall | None:
        """Return and remove the first finished call of an agent with a text; None if there is none."""
        given = digest_of(text)
        found = next((it for it in self.calls if (it.agent, it.given) == (agent, given)), None)
        if found:
            self.calls.remove(found)
        return found

    def take_step(self, kind: str, step: str, text: str) -> bool:
        """Return whether a step was announced already, which counts once."""
        was_announced = self.steps[kind, step, text] > 0
        self.steps[kind, step, text] -= was_announced
        return was_announced


class InterruptedExecution(Struct, frozen=True, kw_only=True):
    """An execution that goes on: its history, what was done, and the texts that no call has used."""

    history: History
    done: DoneBefore
    steering: tuple[str, ...]
    request_id: str | None

    @property
    def started(self) -> ExecutionStarted:
        """How the execution was started."""
        return self.history.started


class _Reading(Struct, kw_only=True):
    done: DoneBefore = field(default_factory=DoneBefore)
    steering: list[str] = field(default_factory=list)
    request_id: str | None = None

    def passing(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield lines, and note what they say; none is kept."""
        for line in lines:
            self._add(decode_line(line))
            yield line

    def _add(self, record: object) -> None:
        match record:
            case ExecutionStarted():
                self.done, self.request_id = DoneBefore(), None
                self.steering.clear()
            case AgentCalled(call=call) if call is not None:
                self.done.calls.append(finished_call(record.agent, call))
            case {"type": "strategy_started", "requestId": str(request_id)}:
                self.request_id = request_id
            case {"type": "steer_queued", "text": str(text)}:
                self.steering.append(text)
            case {"type": "step_started" as kind, "stepName": str(step), "message": str(text)}:
                self.done.steps[kind, step, text] += 1
            case {"type": "step_completed" as kind, "stepName": str(step), "result": {"text": str(text)}}:
                self.done.steps[kind, step, text] += 1

    def unused_steering(self) -> tuple[str, ...]:
        used = Counter(it for call in self.done.calls for it in call.steering)
        left = []
        for text in self.steering:
            if used[text]:
                used[text] -= 1
            else:
                left.append(text)
        return tuple(left)


def read_interrupted(lines: Iterable[bytes]) -> InterruptedExecution | None:
    """Return the execution in the middle of which a history ends; None if it ends with its end."""
    reading = _Reading()
    history = read_history(reading.passing(lines))
    if history is None or history.ended:
        return None
    return InterruptedExecution(
        history=history,
        done=reading.done,
        steering=reading.unused_steering(),
        request_id=reading.request_id,
    )
