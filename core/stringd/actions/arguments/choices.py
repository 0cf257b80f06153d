"""Several choices in one value, with commas between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_COMMA = ","


def split_choices(text: str, choices: Sequence[str]) -> tuple[str, ...] | None:
    """Return the choices that a text names, none for an empty one; None where it names something else.

    A choice may hold commas itself: the longest one that fits is meant.
    """
    if not text and text not in choices:
        return ()
    chosen = tuple(_chosen(text.split(_COMMA), frozenset(choices)))
    return None if None in chosen else tuple(it for it in chosen if it is not None)


def _chosen(parts: Sequence[str], choices: frozenset[str]) -> Iterator[str | None]:
    longest = 1 + max((it.count(_COMMA) for it in choices), default=0)
    position = 0
    while position < len(parts):
        sizes = range(min(longest, len(parts) - position), 0, -1)
        named = ((size, _COMMA.join(parts[position : position + size]).strip()) for size in sizes)
        size, choice = next(((size, it) for size, it in named if it in choices), (1, None))
        yield choice
        position += size
