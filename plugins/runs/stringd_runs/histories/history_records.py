"""What the history of a run records beside its events, and the lines that it is written in.

A history is a file of JSON lines: the events of the run, byte for byte as subscribers got them but without
pieces of text, and records of this module, which have a `record` instead of a `type`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import asdict

from stringd_runs.messages.daemon_replies import RunStatus, RunSummary


class ExecutionStarted(Struct, frozen=True, kw_only=True):
    """An execution begins: of what, whose, where, and with which input."""

    record: ClassVar[str] = "execution-started"
    run_id: str
    user_id: str
    strategy_name: str
    strategy_path: str
    directory: str
    model_override: str | None = None
    input: str
    at: str
    approved_code: str | None = None
    """The SHA-256 of the strategy's code that a person has approved, where another node may go on."""


class ExecutionResumed(Struct, frozen=True, kw_only=True):
    """An execution that was interrupted goes on, on another node or again on this one."""

    record: ClassVar[str] = "execution-resumed"
    finished_calls: int
    at: str


class AgentCalled(Struct, frozen=True, kw_only=True):
    """A call of an agent has ended; the records are what its conversation has gained.

    `call` is what an execution needs that goes on from there: a `FinishedCall` as JSON.
    """

    record: ClassVar[str] = "agent-called"
    agent: str
    records: Sequence[Mapping[str, Any]]
    call: Mapping[str, Any] | None = None


class RecordsRemoved(Struct, frozen=True, kw_only=True):
    """This many more of an agent's oldest records are no longer sent to its model."""

    record: ClassVar[str] = "records-removed"
    agent: str
    removed_records: int
    at: str


class ExecutionEnded(Struct, frozen=True, kw_only=True):
    """An execution has ended. The last line of a history, from which lists are made."""

    record: ClassVar[str] = "execution-ended"
    run_id: str
    user_id: str
    strategy_name: str
    directory: str
    status: RunStatus
    started_at: str
    completed_at: str
    last_seq: int
    steps: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    outcome: str | None = None
    """The beginning of the result, or why there is none."""

    def summary(self) -> RunSummary:
        """Return the run as lists show it."""
        return RunSummary(
            run_id=self.run_id,
            strategy_name=self.strategy_name,
            status=self.status,
            started_at=self.started_at,
            completed_at=self.completed_at,
        )


class NumbersReserved(Struct, frozen=True, kw_only=True):
    """Pieces up to a number may be delivered, so that no number is used twice if the daemon is killed."""

    record: ClassVar[str] = "numbers-reserved"
    until: int


HistoryRecord: TypeAlias = (
    ExecutionStarted | ExecutionResumed | AgentCalled | RecordsRemoved | NumbersReserved | ExecutionEnded
)

_RECORDS: Mapping[str, type[HistoryRecord]] = {it.record: it for it in get_args(HistoryRecord)}
_NUMBERS = {"removed_records", "last_seq", "until", "finished_calls"}
_COUNTS = {"steps", "prompt_tokens", "completion_tokens"}
_OF_OTHER_NODES = {"call", "approved_code"}
"""What only histories have with which other nodes may go on."""
_OPTIONAL = {"model_override", "cost", "outcome", *_COUNTS, *_OF_OTHER_NODES}


def encode_record(record: HistoryRecord) -> bytes:
    """Return the line of a record, without its end."""
    values = {k: it for k, it in asdict(record).items() if it is not None or k not in _OF_OTHER_NODES}
    return json.dumps({"record": record.record, **values}, separators=(",", ":")).encode()


def decode_line(line: bytes) -> HistoryRecord | Mapping[str, Any] | None:
    """Return the record or the event of a line; None for a line that was torn or is not of a history."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict):
        return None
    kind = values.pop("record", None)
    if kind is None:
        return values if isinstance(values.get("seq"), int) else None
    record = _RECORDS.get(kind) if isinstance(kind, str) else None
    return _made(record, values) if record else None


def _made(record: type[HistoryRecord], values: Mapping[str, Any]) -> HistoryRecord | None:
    known = {it: values[it] for it in record.__struct_fields__ if it in values}
    if not all(_fits(name, value) for name, value in known.items()):
        return None
    try:
        if record is ExecutionEnded:
            known["status"] = RunStatus(known.get("status", ""))
        return record(**known)
    except (TypeError, ValueError):
        return None


def _fits(name: str, value: object) -> bool:
    """Whether a field of a record can have a value."""
    if name == "records":
        return isinstance(value, list) and all(
            isinstance(it, dict) and isinstance(it.get("role"), str) for it in value
        )
    if value is None:
        return name in _OPTIONAL
    if name == "call":
        return isinstance(value, dict)
    if name in _NUMBERS or name in _COUNTS:
        return isinstance(value, int)
    if name == "cost":
        return isinstance(value, int | float) and math.isfinite(value)
    return isinstance(value, str)
