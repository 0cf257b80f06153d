"""The page of one topic: its exchanges as they come, what it does now, and where it is."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence

from msgspec import Struct

from stringd.plugin import (
    CommandBegun,
    ErrorCode,
    EventFilter,
    Output,
    Refusal,
    RequestRefused,
    Runtime,
    Session,
    SessionEnded,
    SessionOpened,
    TopicName,
    TopicTypeHelp,
    User,
)
from stringd.plugin.workers import READING
from stringd_console.console_page import Item, PageRequest, Regions, View
from stringd_console.other_nodes import own_name
from stringd_console.screens.screen_part import find_screen, screen_part
from stringd_console.topic_pages.exchange import Exchange
from stringd_console.topic_pages.exchange_html import TEMPLATES, exchange_item
from stringd_console.topic_pages.journal import journal_of
from stringd_console.topic_pages.journal_recording import catch_up
from stringd_console.topic_pages.sending import sender_of
from stringd_console.topic_pages.topic_panel import Panel, read_panel

_MOST_SHOWN = 60
_LARGEST_PAGE = 60_000
_USER_AND_TOPIC = 2
_EMPTY = Panel()


class TopicPage(Struct):
    """Shows one topic, whether it exists or not yet."""

    runtime: Runtime
    user: User
    name: TopicName
    ended: str = ""
    """Why the topic has ended while it was watched."""
    _panel: Panel = _EMPTY
    _is_panel_outdated: bool = True

    async def view(self) -> View:
        """Return the view of the topic."""
        await catch_up(self.runtime, self.user.id, self.name.text)
        topic_type = self.runtime.topic_types[self.name.type]
        screen = find_screen(self.runtime, self.name.type)
        return View(
            title=self.name.text,
            template="topic.html",
            regions=self._regions,
            changes=self._changes,
            values={
                "has_screen": screen is not None,
                "node": own_name(self.runtime),
                "prompt": _prompt(topic_type),
                "topic": self.name,
                "user_id": self.user.id,
            },
            parts=(screen_part(screen, self.user, self.name),) if screen else (),
        )

    async def _regions(self) -> Regions:
        runtime, user_id, topic = self.runtime, self.user.id, self.name.text
        session, journal, sender = (
            runtime.session(user_id, self.name),
            journal_of(runtime),
            sender_of(runtime),
        )
        if self._is_panel_outdated:
            # What happens while it is read has it read again.
            self._is_panel_outdated = False
            self._panel = await read_panel(runtime, session)
        commands = runtime.commands(self.name.type)
        values = {
            "can_interrupt": "interrupt" in commands,
            "can_list_jobs": "jobs" in commands,
            "ended": self.ended,
            "exists": session is not None,
            "panel": self._panel,
            "queued": self._queued(),
            "running": journal.running(user_id, topic),
            "slash": runtime.topic_types[self.name.type].slash,
            "topic": self.name,
            "user_id": user_id,
            "waiting": sender.waiting(user_id, topic),
        }
        exchanges = journal.exchanges(user_id, topic)[-_MOST_SHOWN:]
        return {
            "panel": TEMPLATES.render("topic_panel.html", values),
            "topic-state": TEMPLATES.render("topic_state.html", values),
            "transcript": await READING.run(_items, exchanges, sender.sent) or (_note(self.ended, session),),
        }

    def _queued(self) -> int:
        summaries = self.runtime.sessions(self.user.id)
        return sum(it.queue_length for it in summaries if it.topic == self.name.text)

    async def _changes(self) -> AsyncGenerator[object, None]:
        journal = journal_of(self.runtime)
        wanted = EventFilter(user_id=self.user.id, topic=self.name.text)
        with self.runtime.events.watch(wanted) as events:
            async for published in events:
                event = published.event
                journal.apply(published)
                if isinstance(event, SessionEnded):
                    self.ended = event.reason
                elif isinstance(event, SessionOpened | CommandBegun):
                    self.ended = ""
                if not isinstance(event, Output):
                    self._is_panel_outdated = True
                yield published


def find_topic(runtime: Runtime, request: PageRequest) -> TopicPage:
    """Return the page of the topic that a path names."""
    if len(request.path) != _USER_AND_TOPIC:
        raise Refusal(ErrorCode.NOT_FOUND, "There is no such topic.")
    user_id, topic = request.path
    try:
        return TopicPage(runtime=runtime, user=runtime.user(user_id), name=runtime.topic_name(topic))
    except RequestRefused as refused:
        raise Refusal(ErrorCode.NOT_FOUND, refused.message) from refused


def _prompt(topic_type: TopicTypeHelp) -> str:
    """Return what an empty input says about the topic."""
    takes_text = len(topic_type.slash) > 1
    return f"Text, or {topic_type.slash}command" if takes_text else f"{topic_type.slash}command"


def _note(ended: str, session: Session | None) -> Item:
    """Return what stands in place of exchanges where there are none."""
    html = TEMPLATES.macro("exchange.html", "note")(ended=ended, exists=session is not None)
    return Item(key="note", html=html)


def _items(exchanges: Sequence[Exchange], own: Collection[str]) -> tuple[Item, ...]:
    """Return the newest exchanges that fit into a page."""
    items: list[Item] = []
    size = 0
    for exchange in reversed(exchanges):
        item = exchange_item(exchange, exchange.request_id in own)
        size += len(item.html)
        if items and size > _LARGEST_PAGE:
            break
        items.append(item)
    return tuple(reversed(items))
