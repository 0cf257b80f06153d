"""The order of interceptors, determined by their `before` and `after`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from stringd.api.commands import Interceptor
from stringd.errors import Fault


def in_order(interceptors: Sequence[Interceptor]) -> list[Interceptor]:
    """Return the interceptors, the outermost first; keep their order where the names leave it open.

    Raises a `Fault` that names a cycle if there is one. Names of interceptors that don't exist are ignored.
    """
    outer = _outer_ones(interceptors)
    ordered: list[Interceptor] = []
    waiting = list(interceptors)
    while waiting:
        placed = {it.name for it in ordered}
        free = next((it for it in waiting if outer[it.name] <= placed), None)
        if free is None:
            raise Fault(f"interceptors can't be put in order: {_cycle(waiting, outer)}")
        ordered.append(free)
        waiting.remove(free)
    return ordered


def _outer_ones(interceptors: Iterable[Interceptor]) -> Mapping[str, set[str]]:
    """Return for each interceptor the names of those that must run around it."""
    outer: dict[str, set[str]] = {it.name: set() for it in interceptors}
    for it in interceptors:
        outer[it.name] |= it.after & outer.keys()
        for inner in it.before & outer.keys():
            outer[inner].add(it.name)
    return outer


def _cycle(waiting: Sequence[Interceptor], outer: Mapping[str, set[str]]) -> str:
    """Describe a cycle among the interceptors that remain."""
    names = {it.name for it in waiting}
    path = [waiting[0].name]
    while path[-1] not in path[:-1]:
        path.append(min(outer[path[-1]] & names))
    cycle = path[path.index(path[-1]) :]
    return " before ".join(reversed(cycle))
