"""The registry of measurements: `module.name` is the function `name` in `bench.module`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable

import bench
from bench.table import Row

Measurement = Callable[[], Iterable[Row]]

_MARK = "__measurement__"


def measurement(function: Measurement) -> Measurement:
    """Mark a function of a benchmark module that yields rows of the table."""
    setattr(function, _MARK, True)
    return function


def measurements(wanted: Iterable[str] = ()) -> dict[str, Measurement]:
    """Return all measurements by name, or those wanted; raise KeyError for an unknown name."""
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
