"""The page of all topics."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from functools import lru_cache, partial
from itertools import groupby

from stringd.plugin import (
    CommandBegun,
    CommandEnded,
    EventFilter,
    Runtime,
    SessionEnded,
    SessionForked,
    SessionOpened,
    UserAdded,
    UserRemoved,
)
from stringd.plugin.workers import READING
from stringd_console.console_page import ConsolePage, Item, PageRequest, Regions, View
from stringd_console.other_nodes import LOOK_SECONDS, asking_pause
from stringd_console.page_content.shown_values import path_of_topic
from stringd_console.topic_pages.exchange_html import TEMPLATES
from stringd_console.topic_pages.journal import journal_of
from stringd_console.topic_pages.topic_actions import TopicActions
from stringd_console.topic_pages.topic_page import find_topic
from stringd_console.topic_pages.topic_rows import RUNNING_SECONDS, RunningRow, TopicRow, everywhere, here
from stringd_console.topic_pages.typed_keys import typing_acts

_KINDS = frozenset(
    it.kind
    for it in (CommandBegun, CommandEnded, SessionEnded, SessionForked, SessionOpened, UserAdded, UserRemoved)
)
_MOST_AT_FIRST = 120
_MOST_USERS = 20


class TopicsPage:
    """Shows the topics of all users, what runs in them and what waits."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._journal = journal_of(runtime)

    @property
    def page(self) -> ConsolePage:
        """The page, with those of the single topics below it."""
        acts = {**TopicActions(self._runtime).acts, **typing_acts(self._runtime)}
        return ConsolePage(
            name="topics",
            title="Topics",
            templates=TEMPLATES,
            view=self._view,
            actions=acts,
            position=10,
            is_of_users=True,
            here=partial(here, self._runtime),
        )

    async def _view(self, request: PageRequest) -> View:
        if request.path:
            return await find_topic(self._runtime, request).view()
        users = sorted(it.id for it in self._runtime.users)
        return View(
            title="Topics",
            template="topics.html",
            regions=self._regions,
            first_regions=partial(self._regions, _MOST_AT_FIRST),
            changes=self._changes,
            values={"types": self._runtime.topic_types, "ready": await self._ready(users)},
            pause=asking_pause(self._runtime),
        )

    async def _ready(self, users: Sequence[str]) -> Sequence[str]:
        """Return the topics that are ready for any user to open, such as installed apps."""
        ready = self._runtime.ready_topics
        names = [await READING.run(ready, self._runtime.user(it)) for it in users[:_MOST_USERS]]
        return sorted({it for of_user in names for it in of_user})

    async def _regions(self, most: int | None = None) -> Regions:
        topics, running = await everywhere(self._runtime)
        summary = TEMPLATES.render(
            "topics_summary.html",
            total=len(topics),
            running=sum(it.executing for it in topics),
            queued=sum(it.waiting for it in topics),
        )
        return {
            "running": tuple(map(_running_item, running)),
            "summary": summary,
            "users": TEMPLATES.render("topic_users.html", users=sorted(it.id for it in self._runtime.users)),
            "topics": tuple(_items(sorted(topics, key=_order)[:most])),
        }

    async def _changes(self) -> AsyncGenerator[object, None]:
        """Yield after each event, and from time to time while anything runs, or other nodes may tell more."""
        resting = LOOK_SECONDS if self._runtime.peers else None
        with self._runtime.events.watch(EventFilter(kinds=_KINDS, everywhere=True)) as events:
            coming = asyncio.ensure_future(anext(events, None))
            try:
                while True:
                    seconds = RUNNING_SECONDS if self._journal.all_running else resting
                    await asyncio.wait({coming}, timeout=seconds)
                    if coming.done():
                        if coming.result() is None:
                            return
                        coming = asyncio.ensure_future(anext(events, None))
                    yield None
            finally:
                coming.cancel()


def _order(row: TopicRow) -> tuple[str, str, str]:
    return row.user_id, row.topic_type, row.topic


def _items(rows: Sequence[TopicRow]) -> Iterator[Item]:
    """Yield the rows, below a heading for each user if there are several."""
    by_user = [(user_id, [*of_user]) for user_id, of_user in groupby(rows, key=lambda it: it.user_id)]
    for user_id, of_user in by_user:
        if len(by_user) > 1:
            yield _heading(user_id, len(of_user))
        yield from map(_item, of_user)


@lru_cache(maxsize=256)
def _heading(user_id: str, count: int) -> Item:
    return Item(key=f"{user_id}/", html=TEMPLATES.macro("topic_row.html", "heading")(user_id, count))


@lru_cache(maxsize=4096)
def _item(row: TopicRow) -> Item:
    html = TEMPLATES.macro("topic_row.html", "row")(row, path_of_topic(row.user_id, row.topic))
    return Item(key=f"{row.user_id}/{row.topic}", html=html)


@lru_cache(maxsize=256)
def _running_item(row: RunningRow) -> Item:
    html = TEMPLATES.macro("topic_row.html", "running")(row, path_of_topic(row.user_id, row.topic))
    return Item(key=f"{row.user_id}/{row.topic}/{row.begun}", html=html)
