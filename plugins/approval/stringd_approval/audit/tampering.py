"""What was done to a log at the line where its chain breaks, judged by the lines around it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from stringd_approval.audit.log_line import Head, LogLine


class Tampering(StrEnum):
    """What was done to a line."""

    CHANGED = "was changed"
    REMOVED = "was removed"
    INSERTED = "was inserted"
    SWAPPED = "was moved from another place"
    DUPLICATED = "was duplicated"
    TRUNCATED = "was cut off"


class LinePlace(Struct, frozen=True, kw_only=True):
    """The number of a line in a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class LogFault(Struct, frozen=True, kw_only=True):
    """What was done, the line concerned, and a sentence for people."""

    tampering: Tampering
    place: LinePlace | None
    text: str


class Neighbours(Struct, frozen=True, kw_only=True):
    """What surrounds the line that does not continue the chain.

    `head` is the chain up to it, `before` without its last line, which is at `previous`. `digest` is the hash
    of the line itself, and `following` are the entries behind it.
    """

    head: Head
    before: Head
    previous: LinePlace | None
    is_copy_of_previous: bool
    digest: str
    has_copy_behind: bool
    following: Sequence[LogLine]

    def continues(self, entry: LogLine, head: Head) -> bool:
        """Whether an entry follows a head."""
        return entry.seq == head.seq + 1 and entry.prev == head.digest

    @property
    def is_followed(self) -> bool | None:
        """Whether the next entry follows the line itself; None if there is no next one."""
        return self.following[0].prev == self.digest if self.following else None

    @property
    def is_superfluous(self) -> bool:
        """Whether the chain would continue without the line."""
        return bool(self.following) and self.continues(self.following[0], self.head)

    def has_number(self, seq: int) -> bool:
        """Whether an entry with this number follows."""
        return any(it.seq == seq for it in self.following)


def classify(place: LinePlace, entry: LogLine | None, around: Neighbours) -> LogFault:
    """Say what was done at a line that does not continue the chain."""
    expected = around.head.seq + 1
    if around.is_copy_of_previous or (around.has_copy_behind and around.is_superfluous):
        return _fault(Tampering.DUPLICATED, place, "it is a copy of another line")
    if around.is_superfluous and not _is_displaced(entry, around):
        return _fault(Tampering.INSERTED, place, "the line before it is continued by the one behind it")
    if entry is None or not entry.is_intact:
        return _fault(Tampering.CHANGED, place, "it does not match its own checksum")
    if entry.prev == around.head.digest:
        return _fault(Tampering.CHANGED, place, f"it has the number {entry.seq} in place of {expected}")
    if entry.seq > expected:
        return _misplaced(place, entry, around)
    if entry.seq < expected:
        return _repeated(place, entry, around)
    if around.previous is None or around.is_followed is False:
        return _fault(Tampering.CHANGED, place, "it does not have the hash of the line before")
    return _fault(Tampering.CHANGED, around.previous, "the line behind it has another hash of it")


def _misplaced(place: LinePlace, entry: LogLine, around: Neighbours) -> LogFault:
    expected = around.head.seq + 1
    if around.has_number(expected):
        return _fault(Tampering.SWAPPED, place, f"it is number {entry.seq} in place of {expected}")
    last = entry.seq - 1
    missing = f"number {expected}" if last == expected else f"numbers {expected} to {last}"
    return _fault(Tampering.REMOVED, place, f"{missing} should be here")


def _repeated(place: LinePlace, entry: LogLine, around: Neighbours) -> LogFault:
    """Of two lines with the same predecessor, the one that has no successor was inserted."""
    has_rival = entry.prev == around.before.digest and around.previous is not None
    if has_rival and around.is_followed:
        assert around.previous
        return _fault(Tampering.INSERTED, around.previous, "the line behind it has its number, and goes on")
    return _fault(Tampering.INSERTED, place, f"number {entry.seq} was there before")


def _is_displaced(entry: LogLine | None, around: Neighbours) -> bool:
    """Whether an entry is missing further behind."""
    if entry is None or not entry.is_intact or entry.seq <= around.head.seq + 1:
        return False
    if entry.prev == around.head.digest:
        return False
    return not around.has_number(entry.seq) and around.has_number(entry.seq - 1)


def _fault(tampering: Tampering, place: LinePlace, reason: str) -> LogFault:
    text = f"{place}: a line {tampering}" if tampering is Tampering.REMOVED else f"{place} {tampering}"
    return LogFault(tampering=tampering, place=place, text=f"{text}: {reason}")
