"""Limits on a topic's state: excess variables are refused, other old entries are dropped."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Any, TypeVar

from msgspec.structs import replace

from stringd.api.provenance import Attributed
from stringd.api.sessions import Location, State
from stringd.errors import ErrorCode, Refusal

T = TypeVar("T")

# In bytes of memory.
VARIABLES = 1024 * 1024
# Enough for the names of one answer, with texts as short as URLs.
NAMED = 2 * 1024 * 1024
SEEN = 256 * 1024
# Enough for two hundred locations of a kilobyte each.
HISTORY = 256 * 1024
LOCATION = 64 * 1024
# The size of an entry in addition to its texts, with its provenance.
_ENTRY = 300
_WIDEST = 4


def within_budget(state: State, before: State) -> State:
    """Return the new state without the oldest entries above the limits; refuse too many variables."""
    _check_variables(state.variables, before.variables)
    if state.document and state.document is not before.document:
        _check_location(state.document)
    fitting: dict[str, Any] = {
        "history": _latest_locations(state.history, before.history),
        "values": _latest(state.values, before.values, NAMED),
        "links": _latest(state.links, before.links, NAMED),
        "seen": _latest(state.seen, before.seen, SEEN),
    }
    # Most commands drop nothing, and making a state costs its checks.
    shortened = {name: it for name, it in fitting.items() if it is not getattr(state, name)}
    return replace(state, **shortened) if shortened else state


def _check_variables(variables: Mapping[str, object], before: Mapping[str, object]) -> None:
    if variables is before:
        return
    size = sum(_sizes(variables.items()))
    # An earlier version may have stored more; then the size may shrink step by step.
    if size > VARIABLES and size >= sum(_sizes(before.items())):
        message = f"The variables of a topic may take {VARIABLES // 1024} KiB; these take {size // 1024}."
        raise Refusal(ErrorCode.TOPIC_FULL, message, "No variable was set. Store large texts in files.")


def _check_location(location: Location) -> None:
    if _location_size(location) > LOCATION:
        raise Refusal(ErrorCode.INVALID_TARGET, f"The URI and title exceed {LOCATION // 1024} KiB.")


def _latest(named: Mapping[str, T], before: Mapping[str, T], most: int) -> Mapping[str, T]:
    if named is before:
        return named
    items = list(named.items())
    left_out = len(items) - _fitting(_sizes(reversed(items)), most)
    return dict(items[left_out:]) if left_out else named


def _latest_locations(locations: tuple[Location, ...], before: tuple[Location, ...]) -> tuple[Location, ...]:
    if locations is before or _are_small(locations):
        return locations
    left_out = len(locations) - _fitting(map(_location_size, reversed(locations)), HISTORY)
    return locations[left_out:] if left_out else locations


def _are_small(locations: tuple[Location, ...]) -> bool:
    """Whether a history is small enough to skip measuring it."""
    characters = sum([len(it.uri) + len(it.title or "") + len(it.block or "") for it in locations])
    return characters * _WIDEST + len(locations) * _ENTRY <= HISTORY


def _fitting(sizes: Iterable[int], most: int) -> int:
    """Return how many of the first sizes fit into the limit."""
    total = 0

    def fits(size: int) -> bool:
        nonlocal total
        total += size
        return total <= most

    return sum(1 for _ in takewhile(fits, sizes))


def _sizes(items: Iterable[tuple[str, object]]) -> Iterable[int]:
    return (sys.getsizeof(name) + _size(value) + _ENTRY for name, value in items)


def _size(value: object) -> int:
    if isinstance(value, Attributed):
        value = value.value
    texts = value if isinstance(value, tuple) else (value,)
    return sum(map(sys.getsizeof, texts))


def _location_size(location: Location) -> int:
    return sys.getsizeof(location.uri) + sys.getsizeof(location.title) + sys.getsizeof(location.block)
