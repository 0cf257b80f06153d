"""How much a topic remembers: what it is told has a limit, of what it notes by itself the oldest goes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any, TypeVar

from stringd.api.provenance import Attributed
from stringd.api.sessions import Location, State
from stringd.errors import ErrorCode, Refusal

T = TypeVar("T")

# In bytes of memory.
VARIABLES = 1024 * 1024
# All that one answer may name, where the texts are as short as addresses are.
NAMED = 2 * 1024 * 1024
SEEN = 256 * 1024
PLACES = 256 * 1024
PLACE = 64 * 1024
# What a name costs beside its text and that of its value, with who has brought it.
_ENTRY = 300
_WIDEST = 4


def within_budget(state: State, before: State) -> State:
    """Return what follows on another state, without what there is no room for, or refuse it."""
    _check_variables(state.variables, before.variables)
    if state.document and state.document is not before.document:
        _check_place(state.document)
    fitting: dict[str, Any] = {
        "history": _latest_places(state.history, before.history),
        "values": _latest(state.values, before.values, NAMED),
        "links": _latest(state.links, before.links, NAMED),
        "seen": _latest(state.seen, before.seen, SEEN),
    }
    # Most commands leave nothing out, and a state is checked when it is made.
    shortened = {name: it for name, it in fitting.items() if it is not getattr(state, name)}
    return replace(state, **shortened) if shortened else state


def _check_variables(variables: Mapping[str, object], before: Mapping[str, object]) -> None:
    if variables is before:
        return
    size = sum(_sizes(variables.items()))
    # There may be more from an earlier version; then there may be less.
    if size > VARIABLES and size >= sum(_sizes(before.items())):
        message = f"The variables of a topic may take {VARIABLES // 1024} KiB; these take {size // 1024}."
        raise Refusal(ErrorCode.TOPIC_FULL, message, "None was set. What is large belongs into a file.")


def _check_place(place: Location) -> None:
    if _place_size(place) > PLACE:
        raise Refusal(ErrorCode.INVALID_TARGET, f"An address and a title may take {PLACE // 1024} KiB.")


def _latest(named: Mapping[str, T], before: Mapping[str, T], most: int) -> Mapping[str, T]:
    if named is before:
        return named
    items = list(named.items())
    left_out = len(items) - _fitting(_sizes(reversed(items)), most)
    return dict(items[left_out:]) if left_out else named


def _latest_places(places: tuple[Location, ...], before: tuple[Location, ...]) -> tuple[Location, ...]:
    if places is before or _are_small(places):
        return places
    left_out = len(places) - _fitting(map(_place_size, reversed(places)), PLACES)
    return places[left_out:] if left_out else places


def _are_small(places: tuple[Location, ...]) -> bool:
    """Tell quickly of most histories that they fit: each step makes one."""
    characters = sum([len(it.uri) + len(it.title or "") + len(it.block or "") for it in places])
    return characters * _WIDEST + len(places) * _ENTRY <= PLACES


def _fitting(sizes: Iterable[int], most: int) -> int:
    """Return how many of the first ones fit."""
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


def _place_size(place: Location) -> int:
    return sys.getsizeof(place.uri) + sys.getsizeof(place.title) + sys.getsizeof(place.block)
