"""Read a log a few megabytes at a time, so that a large one need not be in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from stringd.plugin.workers import STORAGE
from stringd_cluster.engine.database_pool import ConnectionPool

Value = TypeVar("Value")

LARGEST_PAGE = 4 * 1024 * 1024
_MOST_LINES = 2000
_PAGE_SECONDS = 60.0
# The sizes are known without reading the lines. A larger line comes by itself.
_PAGE = f"""
SELECT number, line FROM (
    SELECT number, line, sum(octet_length(line)) OVER (ORDER BY number) AS size
    FROM log_lines WHERE log = $1 AND number > $2 ORDER BY number LIMIT {_MOST_LINES}
) AS following WHERE size <= {LARGEST_PAGE} OR number = $2 + 1
"""  # noqa: S608

Page = Sequence[Any]


async def read_in_pages(
    pool: ConnectionPool, name: str, parse: Callable[[Iterable[bytes]], Value]
) -> Value | None:
    """Return what a function makes of all lines, in a thread; None if there are none."""
    first = await _page(pool, name, 0)
    if not first:
        return None
    pages = _Pages(pool, name, first)
    try:
        return await STORAGE.run(parse, pages)
    finally:
        pages.has_ended = True


async def _page(pool: ConnectionPool, name: str, after: int) -> Page:
    return await pool.fetch(_PAGE, name, after)


class _Pages:
    """Lines for a thread, which the event loop reads when they are needed."""

    def __init__(self, pool: ConnectionPool, name: str, first: Page) -> None:
        self._pool = pool
        self._name = name
        self._first = first
        self._loop = asyncio.get_running_loop()
        self.has_ended = False
        """Whether nobody wants the lines any more."""

    def __iter__(self) -> Iterator[bytes]:
        page = self._first
        while page:
            for row in page:
                yield row["line"] + b"\n"
            page = self._following(page[-1]["number"])

    def _following(self, number: int) -> Page:
        if self.has_ended:
            return ()
        reading = asyncio.run_coroutine_threadsafe(_page(self._pool, self._name, number), self._loop)
        return reading.result(_PAGE_SECONDS)
