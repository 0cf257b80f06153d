"""Check that replacing a part of a text leaves the structure around it intact."""

from __future__ import annotations

from collections.abc import Iterator

from stringd.documents.editing.block_index import boundary_starts, note_edit


def lost_boundaries(before: str, after: str, start: int, end: int, body: str) -> list[int]:
    """Return the positions of headings, markers and includes that an edit has made disappear.

    The body, possibly with blank lines around it, replaced the span from `start` to `end`.
    """
    note_edit(before, after)
    positions = set(boundary_starts(after))
    expected = _expected(before, after, start, end, body)
    return [old for old, new in expected if new not in positions]


def _expected(before: str, after: str, start: int, end: int, body: str) -> Iterator[tuple[int, int]]:
    """Yield each old position of a boundary and the expected new one; a boundary may begin the body."""
    if 0 in boundary_starts(body)[:1]:
        yield start, len(after) - len(after[start:].lstrip("\r\n"))
    shift = len(after) - len(before)
    for place in boundary_starts(before):
        if not start <= place < end:
            yield place, place if place < start else place + shift
