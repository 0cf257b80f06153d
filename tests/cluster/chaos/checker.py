"""Find what must not happen in the history of a run: lost, doubled, reordered and overlapping effects."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tests.cluster.chaos.history import Effects, History, Kind, Mark, Operation, Outcome, Step

UNSET = "0"
"""What variables and documents are before they are written."""


class Wrong(StrEnum):
    """What is wrong."""

    LOST = "lost"
    DOUBLED = "doubled"
    REORDERED = "reordered"
    OVERLAPPING = "overlapping"
    INVENTED = "invented"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """Something that must not happen."""

    wrong: Wrong
    home: str
    detail: str

    def __str__(self) -> str:
        return f"{self.wrong}: {self.home}: {self.detail}"


def check(history: History) -> list[Violation]:
    """Return everything that must not have happened, in all homes."""
    return [it for home, effects in history.effects.items() for it in _check_home(history, home, effects)]


def _check_home(history: History, home: str, effects: Effects) -> Iterator[Violation]:
    found = (
        *check_variables(history.of_kind(home, Kind.WRITE, Kind.READ)),
        *check_files(history.of_kind(home, Kind.APPEND), effects.appended),
        *check_shells(history.of_kind(home, Kind.SHELL), effects.marks),
        *check_documents(history.of_kind(home, Kind.EDIT), effects),
        *((Wrong.INVENTED, f"a torn line: {it!r}") for it in effects.torn),
    )
    for wrong, detail in found:
        yield Violation(wrong=wrong, home=home, detail=detail)


Found = tuple[Wrong, str]


def check_variables(operations: Sequence[Operation]) -> Iterator[Found]:
    """Check variables to which one client at a time writes rising numbers, and which all read."""
    by_variable: dict[str, list[Operation]] = defaultdict(list)
    for it in operations:
        by_variable[it.subject].append(it)
    for variable, about in by_variable.items():
        writes = [it for it in about if it.kind is Kind.WRITE]
        reads = [it for it in about if it.kind is Kind.READ and it.outcome is Outcome.DONE]
        if writes and not any(it.began >= writes[-1].ended for it in reads):
            yield Wrong.UNREAD, f"{variable} was never read after its last write"
        for read in reads:
            yield from _check_read(read, writes)
        yield from _check_reads(reads)


def _check_read(read: Operation, writes: Sequence[Operation]) -> Iterator[Found]:
    """Check that a read shows the last acknowledged write, or a later one that had begun."""
    value = int(read.value)
    acknowledged = (int(it.value) for it in writes if it.outcome is Outcome.DONE and it.ended <= read.began)
    begun = (int(it.value) for it in writes if it.outcome is not Outcome.REFUSED and it.began <= read.ended)
    least, most = max(acknowledged, default=int(UNSET)), max(begun, default=int(UNSET))
    if value < least:
        yield Wrong.LOST, f"{read.subject} was {value} after {least} had been acknowledged: {read}"
    if value > most:
        yield Wrong.INVENTED, f"{read.subject} was {value}, which nobody had written: {read}"


def _check_reads(reads: Sequence[Operation]) -> Iterator[Found]:
    """Check that no read shows less than one that had ended before it began."""
    by_end = sorted(reads, key=lambda it: it.ended)
    highest, seen = int(UNSET), 0
    for read in sorted(reads, key=lambda it: it.began):
        while seen < len(by_end) and by_end[seen].ended <= read.began:
            highest = max(highest, int(by_end[seen].value))
            seen += 1
        if int(read.value) < highest:
            yield Wrong.REORDERED, f"{read.subject} went back from {highest} to {read.value}: {read}"


def check_files(operations: Sequence[Operation], files: Mapping[str, Sequence[int]]) -> Iterator[Found]:
    """Check each file to which lines were appended."""
    for file in dict.fromkeys((*files, *(it.subject for it in operations))):
        yield from check_lines([it for it in operations if it.subject == file], files.get(file, ()))


def check_lines(operations: Sequence[Operation], lines: Sequence[int]) -> Iterator[Found]:
    """Check that each acknowledged operation has left its one line, in the order of real time."""
    by_id = {it.id: it for it in operations}
    counts = Counter(lines)
    for it in operations:
        if it.outcome is Outcome.DONE and not counts[it.id]:
            yield Wrong.LOST, f"no line of {it}"
        if it.outcome is Outcome.REFUSED and counts[it.id]:
            yield Wrong.INVENTED, f"a line of {it}"
        if counts[it.id] > 1:
            yield Wrong.DOUBLED, f"{counts[it.id]} lines of {it}"
    yield from ((Wrong.INVENTED, f"a line of nobody: {it}") for it in counts if it not in by_id)
    yield from _check_order([by_id[it] for it in dict.fromkeys(lines) if it in by_id])


def _check_order(operations: Iterable[Operation]) -> Iterator[Found]:
    """Check that none was acknowledged before one began that comes earlier."""
    latest: Operation | None = None
    for it in operations:
        if latest and it.outcome is Outcome.DONE and it.ended < latest.began:
            yield Wrong.REORDERED, f"{it} comes after {latest}"
        latest = it if latest is None or it.began > latest.began else latest


def check_shells(operations: Sequence[Operation], marks: Sequence[Mark]) -> Iterator[Found]:
    """Check that commands of shells ran once, and that no two shells lived at once that must not."""
    yield from check_lines(operations, [it.operation for it in marks if it.step is Step.BEGIN])
    ended = {it.operation for it in marks if it.step is Step.END}
    for it in operations:
        if it.outcome is Outcome.DONE and it.id not in ended:
            yield Wrong.LOST, f"no end of {it}"
    yield from _check_overlaps(marks)
    yield from _check_turns(marks)


def _check_overlaps(marks: Sequence[Mark]) -> Iterator[Found]:
    """Check that shells of different nodes, and different shells of one bash topic, follow one another."""
    lives: dict[str, tuple[int, int, Mark]] = {}
    for number, mark in enumerate(marks):
        first = lives[mark.shell][0] if mark.shell in lives else number
        lives[mark.shell] = (first, number, mark)
    living: list[tuple[int, int, Mark]] = []
    for first, last, mark in sorted(lives.values(), key=lambda it: it[:2]):
        living = [it for it in living if it[1] > first]
        for other in living:
            if other[2].node != mark.node or (
                other[2].topic == mark.topic and mark.topic.startswith("bash:")
            ):
                yield Wrong.OVERLAPPING, f"shell {other[2].shell} wrote beside {mark.shell}: {other}, {mark}"
        living.append((first, last, mark))


def _check_turns(marks: Sequence[Mark]) -> Iterator[Found]:
    """Check that in each topic no command goes on when another one has begun."""
    current: dict[str, int] = {}
    for mark in marks:
        if mark.step is Step.BEGIN:
            current[mark.topic] = mark.operation
        elif current.get(mark.topic) != mark.operation:
            yield Wrong.OVERLAPPING, f"{mark} while {current.get(mark.topic)} ran in its topic"


def check_documents(operations: Sequence[Operation], effects: Effects) -> Iterator[Found]:
    """Check each document against what its one client has made of it: `value` is its text after each edit."""
    by_document: dict[str, list[Operation]] = defaultdict(list)
    for it in operations:
        by_document[it.subject].append(it)
    for document, edits in by_document.items():
        text = effects.texts.get(document, "")
        done = [it for it in edits if it.outcome is Outcome.DONE]
        expected = {done[-1].value if done else UNSET}
        expected |= {it.value for it in edits if it.outcome is Outcome.UNKNOWN}
        if text in expected:
            continue
        wrong = Wrong.LOST if text in {it.value for it in edits} | {UNSET, ""} else Wrong.INVENTED
        yield wrong, f"{document} is {text!r} instead of {sorted(expected)}: {edits[-3:]}"
