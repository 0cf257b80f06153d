"""Verify a log: follow its chain, and name the first line that was tampered with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from stringd_approval.audit.log_line import TORN, Head, LogLine, digest_of, parse_line
from stringd_approval.audit.tampering import LinePlace, LogFault, Neighbours, Tampering, classify

_NEWLINE = b"\n"


class ReadLine(Struct, frozen=True, kw_only=True):
    """A line as it is in a file, with its newline."""

    place: LinePlace
    data: bytes


class Verified(Struct, frozen=True, kw_only=True):
    """The result: the first fault, None if there is none, and the head up to which the chain holds.

    `first` is the number of the first line: above 1, older files are elsewhere. `torn` are lines that killed
    writers left incomplete.
    """

    head: Head
    fault: LogFault | None = None
    first: int = 1
    torn: Sequence[LinePlace] = ()


class Recorded(Struct, frozen=True, kw_only=True):
    """The end of a chain that was recorded elsewhere."""

    chain: str
    number: int
    digest: str


def verify(
    lines: Iterable[ReadLine], since: str | None = None, recorded: Collection[Recorded] = ()
) -> Verified:
    """Verify all lines of a log.

    With `since`, the hash of a line that was noted elsewhere, that line must be there, so that the end of the
    log was not cut off before it; or the log must begin right behind it, if older files are elsewhere. All
    `recorded` lines must be there, too, unless they are in older files.
    """
    run = _Verification(rest=iter(lines), since=since, wanted={it.digest for it in recorded})
    fault = run.first_fault()
    if fault is None and since is not None and not run.has_since:
        fault = LogFault(
            tampering=Tampering.TRUNCATED,
            place=None,
            text=f"no line has the hash {since}: the log was cut off before that line, or written anew",
        )
    if fault is None:
        fault = _fault_of_lost([it for it in recorded if it.digest in run.wanted and it.number >= run.first])
    return Verified(head=run.head, fault=fault, first=run.first, torn=run.torn)


def _fault_of_lost(lost: Sequence[Recorded]) -> LogFault | None:
    if not lost:
        return None
    it = lost[0]
    text = (
        f"no line has the hash {it.digest} of entry {it.number}, which is recorded as the end of {it.chain}: "
        "the log was cut off before it, replaced, or written anew"
    )
    return LogFault(tampering=Tampering.TRUNCATED, place=None, text=text)


class _Verification(Struct, kw_only=True):
    rest: Iterator[ReadLine]
    since: str | None
    wanted: set[str]
    head: Head = field(default_factory=Head)
    before: Head = field(default_factory=Head)
    previous: ReadLine | None = None
    first: int = 1
    has_since: bool = False
    torn: list[LinePlace] = field(default_factory=list)

    def first_fault(self) -> LogFault | None:
        for line in self.rest:
            entry = parse_line(line.data)
            if entry and line.data.endswith(_NEWLINE):
                fault = self._fault_of(line, entry)
            else:
                fault = self._fault_of_torn(line)
            if fault:
                return fault
        return None

    def _fault_of(self, line: ReadLine, entry: LogLine) -> LogFault | None:
        if self.previous is None and entry.prev == self.since:
            self._begin_at(entry)
        fits = entry.seq == self.head.seq + 1 and entry.prev == self.head.digest
        if not (fits and entry.is_intact):
            return self._classified(line, entry)
        self._advance(line, entry.seq)
        return None

    def _begin_at(self, entry: LogLine) -> None:
        self.first = entry.seq
        self.head = Head(seq=entry.seq - 1, digest=entry.prev)
        self.has_since = True

    def _advance(self, line: ReadLine, seq: int) -> None:
        digest = digest_of(line.data)
        self.before, self.head = self.head, Head(seq=seq, digest=digest)
        self.previous = line
        self.has_since = self.has_since or digest == self.since
        self.wanted.discard(digest)

    def _fault_of_torn(self, line: ReadLine) -> LogFault | None:
        """Return a fault unless the lines are incomplete ones at the end, or marked as such by the next."""
        torn, mark = [line], None
        for it in self.rest:
            mark = it
            if parse_line(it.data):
                break
            torn.append(it)
            mark = None
        if mark is None:
            is_end = len(torn) == 1 and not line.data.endswith(_NEWLINE)
        else:
            is_end = self._is_marked(torn, mark)
        if not is_end:
            self.rest = iter([*torn[1:], *([mark] if mark else []), *self.rest])
            return self._classified(line, None)
        self.torn += [it.place for it in torn]
        if mark:
            self._advance(mark, self.head.seq + len(torn) + 1)
        return None

    def _is_marked(self, torn: Sequence[ReadLine], mark: ReadLine) -> bool:
        entry = parse_line(mark.data)
        return (
            entry is not None
            and entry.is_intact
            and entry.kind == TORN
            and entry.seq == self.head.seq + len(torn) + 1
            and entry.prev == digest_of(torn[-1].data)
        )

    def _classified(self, line: ReadLine, entry: LogLine | None) -> LogFault:
        rest = list(self.rest)
        return classify(
            line.place,
            entry,
            Neighbours(
                head=self.head,
                before=self.before,
                previous=self.previous.place if self.previous else None,
                is_copy_of_previous=self.previous is not None and self.previous.data == line.data,
                digest=digest_of(line.data),
                has_copy_behind=any(it.data == line.data for it in rest),
                following=list(_links(rest)),
            ),
        )


def _links(lines: Iterable[ReadLine]) -> Iterator[LogLine]:
    """Yield entries without their own fields: there may be very many."""
    for line in lines:
        if entry := parse_line(line.data):
            yield replace(entry, fields={})
