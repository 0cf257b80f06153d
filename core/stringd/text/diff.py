"""Differences of two texts: a line diff with a summary, for ChanFlow, and the ends that they share."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from itertools import accumulate, islice

from msgspec import Struct

from stringd.text.formatting import counted

CONTEXT = 2
MOST_ROWS = 400
MOST_IN_ROW = 1000
MOST_CHARACTERS = 50_000
# Beyond this number of steps, which take about 50 ms, the changed lines are shown as one replacement.
MOST_STEPS = 800_000
_STRIDE = 1 << 16


class Difference(Struct, frozen=True, kw_only=True):
    """A summary such as `Added 2 lines, removed 1 line`, and the changed lines with their numbers."""

    summary: str
    rows: str


class _Change(Struct, frozen=True):
    """The lines `old` of the text before were replaced by the lines `new` of the text after."""

    old: range
    new: range


def compare(before: str, after: str, longest: int = MOST_CHARACTERS) -> Difference:
    """Compare two texts line by line; at most `longest` characters show the changed lines."""
    old, new = _lines(before), _lines(after)
    changes = list(_changes(old, new))
    return Difference(summary=_summary(changes), rows="\n".join(_shown(changes, old, new, longest)))


def _changes(old: list[str], new: list[str]) -> Iterator[_Change]:
    shortest = min(len(old), len(new))
    head = next((i for i in range(shortest) if old[i] != new[i]), shortest)
    tail = next((i for i in range(shortest - head) if old[-1 - i] != new[-1 - i]), shortest - head)
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if _steps(middle_old, middle_new) > MOST_STEPS:
        yield _Change(range(head, len(old) - tail), range(head, len(new) - tail))
        return
    matcher = SequenceMatcher(None, middle_old, middle_new, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag != "equal":
            yield _Change(range(head + old_from, head + old_to), range(head + new_from, head + new_to))


def _steps(old: list[str], new: list[str]) -> int:
    """Return an upper bound for the steps of the matcher.

    In the worst case each match is a single line and causes another search, which visits every old line
    and all new lines equal to it.
    """
    in_old, in_new = Counter(old), Counter(new)
    common = in_old.keys() & in_new.keys()
    searches = min(sum(in_old[line] for line in common), sum(in_new[line] for line in common))
    return searches * (len(old) + sum(in_old[line] * in_new[line] for line in common))


def _summary(changes: list[_Change]) -> str:
    added, removed = sum(len(it.new) for it in changes), sum(len(it.old) for it in changes)
    parts = [f"added {counted(added, 'line')}"] if added else []
    parts += [f"removed {counted(removed, 'line')}"] if removed else []
    return ", ".join(parts).capitalize() or "No change"


def _shown(changes: list[_Change], old: list[str], new: list[str], longest: int) -> Iterator[str]:
    width = len(str(max(len(old), len(new))))
    rows = _rows(changes, old, new)
    first = [_row(*it, width) for it in islice(rows, MOST_ROWS)]
    fitting = bisect_right(list(accumulate(len(it) + 1 for it in first)), longest)
    yield from first[:fitting]
    left = len(first) - fitting + sum(1 for _ in rows)
    if left:
        yield f"[... {counted(left, 'line')} more]"


def _row(number: int | None, sign: str, text: str, width: int) -> str:
    if number is None:
        return f"{'':{width}} ⋮"
    shown = text if len(text) <= MOST_IN_ROW else f"{text[:MOST_IN_ROW]}… ({len(text):,} characters)"
    return f"{number:>{width}} {sign}│ {shown}".rstrip()


def _rows(changes: list[_Change], old: list[str], new: list[str]) -> Iterator[tuple[int | None, str, str]]:
    shown_to = 0
    for index, change in enumerate(changes):
        start = max(change.new.start - CONTEXT, shown_to)
        if index and start > shown_to:
            yield None, "", ""
        yield from ((line + 1, "", new[line]) for line in range(start, change.new.start))
        yield from ((line + 1, "-", old[line]) for line in change.old)
        yield from ((line + 1, "+", new[line]) for line in change.new)
        following = changes[index + 1].new.start if index + 1 < len(changes) else len(new)
        shown_to = min(change.new.stop + CONTEXT, following)
        yield from ((line + 1, "", new[line]) for line in range(change.new.stop, shown_to))


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def common_ends(before: str, after: str) -> tuple[int, int]:
    """Return the length of the common prefix, and of the common suffix of the rest."""
    shortest = min(len(before), len(after))
    old, new = len(before), len(after)
    head = _agreed(shortest, lambda start, end: before.startswith(after[start:end], start))
    tail = _agreed(
        shortest - head, lambda start, end: before.startswith(after[new - end : new - start], old - end)
    )
    return head, tail


def _agreed(most: int, agree: Callable[[int, int], bool]) -> int:
    """Return the length of the common prefix, comparing long slices at a time."""
    start = 0
    while start < most and agree(start, min(start + _STRIDE, most)):
        start += _STRIDE
    if start >= most:
        return most
    stretch = range(start + 1, min(start + _STRIDE, most) + 1)
    return start + bisect_left(stretch, True, key=lambda end: not agree(start, end))
