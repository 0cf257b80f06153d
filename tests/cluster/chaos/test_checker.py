"""The checker finds each fault in a history that has it, and none in one that has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.cluster.chaos.checker import Wrong, check
from tests.cluster.chaos.history import Effects, History, Kind, Mark, Operation, Outcome, Step

HOME = "ann"


def operation(
    number: int,
    kind: Kind,
    value: str = "",
    *,
    at: float | None = None,
    seconds: float = 0.5,
    outcome: Outcome = Outcome.DONE,
    subject: str = "v",
    topic: str = "bash:b",
) -> Operation:
    began = float(number) if at is None else at
    return Operation(
        id=number,
        client="c",
        home=HOME,
        topic=topic,
        kind=kind,
        subject=subject,
        value=value,
        began=began,
        ended=began + seconds,
        outcome=outcome,
    )


def write(number: int, value: int, outcome: Outcome = Outcome.DONE) -> Operation:
    return operation(number, Kind.WRITE, str(value), outcome=outcome)


def read(number: int, value: int, *, at: float | None = None) -> Operation:
    return operation(number, Kind.READ, str(value), at=at)


def found(*operations: Operation, effects: Effects | None = None) -> list[Wrong]:
    history = History(lease_seconds=3, operations=operations, effects={HOME: effects or Effects()})
    return [it.wrong for it in check(history)]


def marks(shell: str, number: int, *steps: Step, node: str = "n1", topic: str = "bash:b") -> list[Mark]:
    return [Mark(step=it, operation=number, node=node, shell=shell, topic=topic) for it in steps]


WHOLE = (Step.BEGIN, Step.TICK, Step.END)


def test_nothing_is_found_in_nothing() -> None:
    assert found() == []


class TestVariables:
    def test_reads_of_the_last_write_are_right(self) -> None:
        assert found(write(1, 1), read(2, 1), write(3, 2), read(4, 2)) == []

    def test_lost_write(self) -> None:
        assert found(write(1, 1), write(2, 2), read(3, 1)) == [Wrong.LOST]

    def test_lost_variable(self) -> None:
        assert found(write(1, 1), read(2, 0)) == [Wrong.LOST]

    @pytest.mark.parametrize("value", [1, 2])
    def test_unknown_write_may_be_there(self, value: int) -> None:
        assert found(write(1, 1), write(2, 2, Outcome.UNKNOWN), read(3, value)) == []

    def test_unknown_write_stays_once_it_is_seen(self) -> None:
        operations = (write(1, 1), write(2, 2, Outcome.UNKNOWN), read(3, 2), read(4, 1))
        assert found(*operations) == [Wrong.REORDERED]

    def test_refused_write_must_not_be_there(self) -> None:
        assert found(write(1, 1), write(2, 2, Outcome.REFUSED), read(3, 2)) == [Wrong.INVENTED]

    def test_running_write_may_be_there(self) -> None:
        writes = (write(1, 1), replace(write(2, 2), ended=9.0))
        assert found(*writes, read(3, 1), read(9, 2)) == [] == found(*writes, read(3, 2), read(9, 2))

    def test_value_of_nobody(self) -> None:
        assert found(write(1, 1), read(2, 7)) == [Wrong.INVENTED]

    def test_unread_write(self) -> None:
        assert found(write(1, 1), read(2, 1), write(3, 2)) == [Wrong.UNREAD]

    def test_reads_that_overlap_may_differ(self) -> None:
        late = replace(write(2, 2), ended=9.0)
        assert found(write(1, 1), late, read(3, 2, at=3.0), read(4, 1, at=3.2), read(9, 2)) == []


class TestLines:
    @staticmethod
    def of(*lines: int, outcomes: Sequence[Outcome] = ()) -> list[Wrong]:
        outcomes = outcomes or [Outcome.DONE] * 3
        operations = [operation(it, Kind.APPEND, outcome=outcomes[it - 1]) for it in (1, 2, 3)]
        return found(*operations, effects=Effects(appended={"v": lines}))

    def test_one_line_each(self) -> None:
        assert self.of(1, 2, 3) == []

    def test_lost_line(self) -> None:
        assert self.of(1, 3) == [Wrong.LOST]

    def test_doubled_line(self) -> None:
        assert self.of(1, 2, 2, 3) == [Wrong.DOUBLED]

    def test_reordered_lines(self) -> None:
        assert self.of(1, 3, 2) == [Wrong.REORDERED]

    def test_line_of_nobody(self) -> None:
        assert self.of(1, 2, 3, 9) == [Wrong.INVENTED]

    def test_unknown_line_may_be_there_once(self) -> None:
        unknown = (Outcome.DONE, Outcome.UNKNOWN, Outcome.DONE)
        assert self.of(1, 3, outcomes=unknown) == [] == self.of(1, 2, 3, outcomes=unknown)
        assert self.of(1, 2, 2, 3, outcomes=unknown) == [Wrong.DOUBLED]

    def test_unknown_line_may_come_late(self) -> None:
        assert self.of(1, 3, 2, outcomes=(Outcome.DONE, Outcome.UNKNOWN, Outcome.DONE)) == []

    def test_refused_line(self) -> None:
        assert self.of(1, 2, 3, outcomes=(Outcome.DONE, Outcome.REFUSED, Outcome.DONE)) == [Wrong.INVENTED]

    def test_lines_of_operations_at_once_may_change_places(self) -> None:
        together = [operation(it, Kind.APPEND, at=1.0) for it in (1, 2)]
        assert found(*together, effects=Effects(appended={"v": (2, 1)})) == []

    def test_lost_file(self) -> None:
        assert found(operation(1, Kind.APPEND)) == [Wrong.LOST]

    def test_line_in_another_file(self) -> None:
        operations = [operation(1, Kind.APPEND), operation(2, Kind.APPEND, subject="w")]
        assert found(*operations, effects=Effects(appended={"v": (1, 2)})) == [Wrong.INVENTED, Wrong.LOST]

    def test_torn_line(self) -> None:
        assert found(effects=Effects(torn=["beg"])) == [Wrong.INVENTED]


class TestShells:
    @staticmethod
    def of(*lines: Sequence[Mark], unknown: Sequence[int] = ()) -> list[Wrong]:
        every = [mark for part in lines for mark in part]
        numbers = sorted({it.operation for it in every})
        operations = [
            operation(it, Kind.SHELL, outcome=Outcome.UNKNOWN if it in unknown else Outcome.DONE)
            for it in numbers
        ]
        return found(*operations, effects=Effects(marks=every))

    def test_one_after_the_other(self) -> None:
        assert (
            self.of(marks("s1", 1, *WHOLE), marks("s1", 2, *WHOLE), marks("s2", 3, *WHOLE, node="n2")) == []
        )

    def test_killed_command(self) -> None:
        begun = marks("s1", 1, Step.BEGIN, Step.TICK)
        assert self.of(begun, marks("s2", 2, *WHOLE, node="n2"), unknown=[1]) == []

    def test_lost_end(self) -> None:
        assert self.of(marks("s1", 1, Step.BEGIN)) == [Wrong.LOST]

    def test_lost_command(self) -> None:
        assert found(operation(1, Kind.SHELL)) == [Wrong.LOST, Wrong.LOST]

    def test_doubled_command(self) -> None:
        assert self.of(marks("s1", 1, *WHOLE), marks("s1", 1, *WHOLE)) == [Wrong.DOUBLED]

    def test_interleaved_nodes(self) -> None:
        parts = (
            marks("s1", 1, Step.BEGIN, Step.TICK),
            marks("s2", 2, *WHOLE, node="n2", topic="bash:c"),
            marks("s1", 1, Step.TICK),
        )
        assert self.of(*parts, unknown=[1]) == [Wrong.OVERLAPPING]

    def test_shell_that_outlives_its_successor(self) -> None:
        parts = (
            marks("s1", 1, *WHOLE),
            marks("s2", 2, *WHOLE, node="n2"),
            marks("s1", 3, *WHOLE),
        )
        assert self.of(*parts) == [Wrong.OVERLAPPING]

    def test_two_shells_of_a_topic_on_one_node(self) -> None:
        parts = (marks("s1", 1, *WHOLE), marks("s2", 2, *WHOLE), marks("s1", 3, *WHOLE))
        assert self.of(*parts) == [Wrong.OVERLAPPING]

    def test_commands_of_a_topic_at_once(self) -> None:
        topic = {"topic": "file:main"}
        parts = (
            marks("s1", 1, Step.BEGIN, **topic),
            marks("s2", 2, *WHOLE, **topic),
            marks("s1", 1, Step.END, **topic),
        )
        assert self.of(*parts) == [Wrong.OVERLAPPING]

    def test_topics_of_one_node_at_once(self) -> None:
        parts = (
            marks("s1", 1, Step.BEGIN),
            marks("s2", 2, *WHOLE, topic="bash:c"),
            marks("s1", 1, Step.TICK, Step.END),
        )
        assert self.of(*parts) == []


class TestDocuments:
    @staticmethod
    def of(text: str, last: Outcome = Outcome.DONE) -> list[Wrong]:
        edits = [operation(it, Kind.EDIT, f"v{it}", subject="d") for it in (1, 2)]
        edits.append(operation(3, Kind.EDIT, "v3", subject="d", outcome=last))
        return found(*edits, effects=Effects(texts={"d": text}))

    def test_last_edit_is_there(self) -> None:
        assert self.of("v3") == []

    @pytest.mark.parametrize("text", ["v2", "v1", ""])
    def test_lost_edit(self, text: str) -> None:
        assert self.of(text) == [Wrong.LOST]

    def test_text_of_nobody(self) -> None:
        assert self.of("v2v3") == [Wrong.INVENTED]

    @pytest.mark.parametrize(("text", "wrong"), [("v3", []), ("v2", []), ("v1", [Wrong.LOST])])
    def test_unknown_edit_may_be_there(self, text: str, wrong: list[Wrong]) -> None:
        assert self.of(text, Outcome.UNKNOWN) == wrong

    def test_refused_edit_must_not_be_there(self) -> None:
        assert self.of("v3", Outcome.REFUSED) == [Wrong.LOST]
