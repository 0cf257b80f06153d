"""The ends of logs, which are read again only if lines were added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, TypeVar

from stringd.plugin.stores import LONGEST_END
from stringd.plugin.workers import STORAGE
from stringd_cluster.engine.database_pool import ConnectionPool

Value = TypeVar("Value")

_AT_ONCE = 500
# A log that was removed, and begun anew with as many lines, was written by another transaction.
_LAST = """
SELECT name, last.number, last.written_by FROM logs, LATERAL (
    SELECT number, log_lines.xmin::text AS written_by FROM log_lines
    WHERE log = name ORDER BY number DESC LIMIT 1
) AS last
"""
_LAST_OF_USER = f"{_LAST} WHERE user_id = $1"
_ENDS = f"""
SELECT name, last.line FROM unnest($1::text[]) AS name, LATERAL (
    SELECT substring(line FROM greatest(octet_length(line) - {LONGEST_END - 1}, 1)) AS line
    FROM log_lines WHERE log = name ORDER BY number DESC LIMIT 1
) AS last
"""  # noqa: S608

_Version = tuple[int, str]
_Known = dict[str, tuple[_Version, Any]]


class LogEnds:
    """What the last lines of logs say, by owner."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool
        self._known: dict[str | None, _Known] = {}

    async def of(self, owner: str | None, parse: Callable[[bytes], Value]) -> Mapping[str, Value]:
        """Return what a function makes of the last line of each log of an owner, or of all logs."""
        rows = await (self._pool.fetch(_LAST_OF_USER, owner) if owner else self._pool.fetch(_LAST))
        versions: dict[str, _Version] = {it["name"]: (it["number"], it["written_by"]) for it in rows}
        known = {name: it for name, it in self._known.get(owner, {}).items() if versions.get(name) == it[0]}
        changed = iter(versions.keys() - known.keys())
        while names := list(islice(changed, _AT_ONCE)):
            ends = await self._pool.fetch(_ENDS, names)
            values = await STORAGE.run(_parsed, ends, parse)
            known.update({name: (versions[name], value) for name, value in values.items()})
        self._known[owner] = known
        return {name: value for name, (_, value) in known.items()}

    def forget(self, owner: str) -> None:
        """Forget the logs of an owner."""
        self._known.pop(owner, None)


def _parsed(ends: Iterable[Any], parse: Callable[[bytes], Value]) -> Mapping[str, Value]:
    return {it["name"]: parse(it["line"]) for it in ends}
