"""The runs that browsers watch, which are followed a little longer than the last page is open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeAlias

from msgspec import Struct, field

from stringd.plugin import User
from stringd_runs.run_pages.run_watch import WatchedRun
from stringd_runs.running.runs import Runs

LINGERING_SECONDS = 30.0
_MOST_LINGERING = 16

_Key: TypeAlias = tuple[str, str, str]


class _Kept(Struct):
    run: WatchedRun
    followers: int = 0
    leaving: asyncio.TimerHandle | None = field(default=None)


class WatchedRuns:
    """Shares a followed run among all pages that show it."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._kept: dict[_Key, _Kept] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def watched(self, user: User, run_id: str) -> WatchedRun:
        """Return a run, which is followed from now on."""
        key = _key(user, run_id)
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = _Kept(WatchedRun(self._runs, user, run_id))
        self._leave_later(key, kept)
        return kept.run

    def forget(self, user: User, run_id: str) -> None:
        """Follow a run no longer that there is not, so that it is looked for again."""
        key = _key(user, run_id)
        if kept := self._kept.get(key):
            self._leave(key, kept)

    async def changes(self, user: User, run_id: str) -> AsyncGenerator[object, None]:
        """Yield after each change of a run, which is followed meanwhile."""
        run = self.watched(user, run_id)
        key = _key(user, run_id)
        kept = self._kept[key]
        kept.followers += 1
        try:
            async with aclosing(run.changes()) as changes:
                async for it in changes:
                    yield it
        finally:
            kept.followers -= 1
            self._leave_later(key, kept)

    def _leave_later(self, key: _Key, kept: _Kept) -> None:
        if kept.leaving:
            kept.leaving.cancel()
        loop = asyncio.get_running_loop()
        kept.leaving = loop.call_later(LINGERING_SECONDS, self._leave, key, kept)
        idle = [(name, it) for name, it in self._kept.items() if not it.followers and it is not kept]
        for name, it in idle[:-_MOST_LINGERING]:
            self._leave(name, it)

    def _leave(self, key: _Key, kept: _Kept) -> None:
        if kept.followers:
            return
        if kept.leaving:
            kept.leaving.cancel()
        if self._kept.get(key) is kept:
            del self._kept[key]
        task = asyncio.get_running_loop().create_task(kept.run.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


def _key(user: User, run_id: str) -> _Key:
    # Another user may be registered by the same id later.
    return user.id, user.created_at, run_id
