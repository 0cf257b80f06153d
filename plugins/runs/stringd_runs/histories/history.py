"""The history of a run as read from its file: what a continuation, a list and a late subscriber need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from stringd_runs.histories.history_records import (
    AgentCalled,
    ExecutionEnded,
    ExecutionStarted,
    HistoryRecord,
    NumbersReserved,
    RecordsRemoved,
    decode_line,
)
from stringd_runs.messages.daemon_replies import PastConversation, RunStatus, RunSummary


class Remembered(Struct, kw_only=True):
    """What has been said in a run so far; grows while the run goes on."""

    records: list[Mapping[str, Any]] = field(default_factory=list)
    cuts: list[Mapping[str, Any]] = field(default_factory=list)
    inputs: list[Mapping[str, Any]] = field(default_factory=list)
    by_agent: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)

    def add(self, record: object) -> None:
        """Remember what a line of a history says."""
        match record:
            case ExecutionStarted():
                self.add_input(record)
            case AgentCalled():
                self.add_call(record)
            case RecordsRemoved():
                self.add_cut(record)

    def add_input(self, started: ExecutionStarted) -> None:
        """Remember the input of an execution."""
        self.inputs.append({"text": started.input, "ts": started.at})

    def add_call(self, call: AgentCalled) -> None:
        """Remember what was added to an agent's conversation."""
        self.by_agent.setdefault(call.agent, []).extend(call.records)
        self.records.extend({"agentName": call.agent, **it} for it in call.records)

    def add_cut(self, cut: RecordsRemoved) -> None:
        """Remember that a model is sent fewer of the oldest records."""
        self.cuts.append({"agentName": cut.agent, "ts": cut.at, "removedRecords": cut.removed_records})

    def of_agent(self, agent: str) -> Sequence[Mapping[str, Any]]:
        """Return the conversation of one agent."""
        return tuple(self.by_agent.get(agent, ()))

    def conversation(self) -> PastConversation:
        """Return what clients are shown of it."""
        return PastConversation(
            records=tuple(self.records), retention_events=tuple(self.cuts), inputs=tuple(self.inputs)
        )


class History(Struct, kw_only=True):
    """A run that was started at least once; the fields of `started` are those of its latest execution."""

    started: ExecutionStarted
    ended: ExecutionEnded | None
    remembered: Remembered
    last_seq: int

    def summary(self) -> RunSummary:
        """Return the run as lists show it."""
        if self.ended:
            return self.ended.summary()
        return RunSummary(
            run_id=self.started.run_id,
            strategy_name=self.started.strategy_name,
            status=RunStatus.CANCELLED,
            started_at=self.started.at,
        )


def read_history(lines: Iterable[bytes]) -> History | None:
    """Return the history that the lines of a file hold, whatever else they hold; None if there is none."""
    remembered = Remembered()
    started: ExecutionStarted | None = None
    ended: ExecutionEnded | None = None
    last_seq = 0
    for line in lines:
        record = decode_line(line)
        remembered.add(record)
        last_seq = _last_seq(record, last_seq)
        if isinstance(record, ExecutionStarted):
            started, ended = record, None
        elif isinstance(record, ExecutionEnded):
            ended = record
    if started is None:
        return None
    return History(started=started, ended=ended, remembered=remembered, last_seq=last_seq)


def _last_seq(record: HistoryRecord | Mapping[str, Any] | None, before: int) -> int:
    """Return the last number that may be in use after a line."""
    match record:
        case NumbersReserved(until=int(seq)) | {"seq": int(seq)}:
            return max(before, seq)
        case ExecutionEnded(last_seq=int(seq)):
            return seq
    return before
