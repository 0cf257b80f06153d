"""The measurements there are, by name: `room.name` is the function `name` in the module `bench.room`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable

import bench
from bench.table import Row

Measurement = Callable[[], Iterable[Row]]

_MARK = "__measurement__"


def measurement(function: Measurement) -> Measurement:
    """Mark a function of a room as one that yields rows of the table."""
    setattr(function, _MARK, True)
    return function


def measurements(wanted: Iterable[str] = ()) -> dict[str, Measurement]:
    """Every measurement by its name, or those of the wanted rooms and names; KeyError names a stranger."""
    known = {name: function for room in _rooms() for name, function in _of(room).items()}
    chosen: dict[str, Measurement] = {}
    for name in wanted:
        matching = {key: known[key] for key in known if key == name or key.startswith(f"{name}.")}
        if not matching:
            raise KeyError(f"no measurement is called {name}; there are {', '.join(known)}")
        chosen |= matching
    return chosen or known


def _rooms() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(bench.__path__) if module.name != "__main__"]


def _of(room: str) -> dict[str, Measurement]:
    members = vars(importlib.import_module(f"bench.{room}"))
    named = ((name.rstrip("_"), member) for name, member in members.items())
    return {f"{room}.{name}": member for name, member in named if hasattr(member, _MARK)}
