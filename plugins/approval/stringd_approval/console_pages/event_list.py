"""The latest events of the daemon, as they come."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Mapping
from dataclasses import fields
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from stringd.plugin import CommandEnded, Event, EventFilter, Output, Published, Runtime
from stringd_approval.console_pages.entry_item import TEMPLATES
from stringd_console import Item, Regions, View

_MOST = 200
_SHARED = frozenset(it.name for it in fields(Event))
_LONGEST = 300
_STATES = {"question-asked": "waiting", "command-begun": "running", "question-answered": "done"}


def events_view(runtime: Runtime, query: Mapping[str, str]) -> View:
    """Return the view of events, of one kind, user or topic if the query says so."""
    given = {name: query.get(name, "") for name in ("kind", "user", "topic")}
    wanted = EventFilter(
        user_id=given["user"] or None,
        topic=given["topic"] or None,
        kinds={given["kind"]} if given["kind"] else None,
        everywhere=True,
    )
    latest = _LatestEvents(runtime, wanted)
    return View(
        title="Events",
        template="events.html",
        regions=latest.regions,
        changes=latest.changes,
        values={"given": given},
    )


class _LatestEvents(Struct):
    runtime: Runtime
    wanted: EventFilter
    _latest: deque[_ShownEvent] = field(default_factory=lambda: deque(maxlen=_MOST))

    async def changes(self) -> AsyncGenerator[object, None]:
        with self.runtime.events.watch(self.wanted, after=0) as events:
            async for published in events:
                # Output of programs comes in many pieces; the page of its topic shows it.
                if not isinstance(published.event, Output) or self.wanted.kinds:
                    self._latest.appendleft(_ShownEvent(published))
                    yield published

    async def regions(self) -> Regions:
        empty = TEMPLATES.render("events_empty.html", is_empty=not self._latest)
        return {"empty": empty, "events": tuple(it.item for it in tuple(self._latest))}


class _ShownEvent:
    """An event in the list; of the many that the daemon keeps, only the latest are ever rendered."""

    def __init__(self, published: Published) -> None:
        self._published = published

    @cached_property
    def item(self) -> Item:
        """The element, rendered once."""
        return _item(self._published)


def _item(published: Published) -> Item:
    event = published.event
    own = {it.name: getattr(event, it.name) for it in fields(event) if it.name not in _SHARED}
    details = {name: _text(value) for name, value in own.items() if value not in (None, "")}
    has_failed = isinstance(event, CommandEnded) and event.code is not None
    html = TEMPLATES.render(
        "event.html",
        details=details,
        event=event,
        kind=event.kind,
        node=published.node,
        seq=published.seq,
        state="failed" if has_failed else _STATES.get(event.kind, ""),
    )
    # What is lost to one watcher has no number.
    return Item(key=str(published.seq or f"lost-{id(published)}"), html=html)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        # A question: all of it is on its own page.
        return str(value.get("title", ""))[:_LONGEST]
    text = f"{value:.3g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} … {len(text) - _LONGEST:,} more characters"
