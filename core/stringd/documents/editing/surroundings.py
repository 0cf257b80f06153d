"""What stands around a part of a text, and must be read as before when something else takes its place."""

from __future__ import annotations

from collections.abc import Iterator

from stringd.documents.editing.block_index import landmark_places, note_edit


def swallowed(before: str, after: str, start: int, end: int, body: str) -> list[int]:
    """Return the places of those headings, marker lines and includes that are none any more.

    The body, perhaps with blank lines around it, took the place of what was from `start` up to `end`.
    """
    note_edit(before, after)
    places = set(landmark_places(after))
    return [place for place, now in _expected(before, after, start, end, body) if now not in places]


def _expected(before: str, after: str, start: int, end: int, body: str) -> Iterator[tuple[int, int]]:
    """Yield where landmarks were, and where they should be now; one that begins the body was at its start."""
    if 0 in landmark_places(body)[:1]:
        yield start, len(after) - len(after[start:].lstrip("\r\n"))
    shift = len(after) - len(before)
    for place in landmark_places(before):
        if not start <= place < end:
            yield place, place if place < start else place + shift
