"""The journal: the last exchanges of each topic, in memory only and within bounds."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias
from weakref import WeakKeyDictionary

from stringd.plugin import (
    CommandEnded,
    ErrorCode,
    Invocation,
    Output,
    Proceed,
    Published,
    Reply,
    Runtime,
    SessionEnded,
    UserRemoved,
)
from stringd.plugin.events import current_output
from stringd_console.topic_pages.exchange import Exchange, kept_reply

MOST_EXCHANGES = 200
MOST_BYTES = 256 * 1024
MOST_BYTES_IN_ALL = 16 * 1024 * 1024
Key: TypeAlias = tuple[str, str]
"""A user and the full name of a topic."""

_CANCELLED = Reply.error(ErrorCode.CANCELLED, "The command was cancelled.")
# The clock of events and that of exchanges are read one after the other.
_TOLERANCE_SECONDS = 0.002
_MOST_UNCONFIRMED = 64


@dataclass(slots=True)
class _Topic:
    ended: deque[Exchange] = field(default_factory=deque)
    unconfirmed: deque[Exchange] = field(default_factory=lambda: deque(maxlen=_MOST_UNCONFIRMED))
    size: int = 0
    seen: int = 0
    """The number of the newest event that has been applied, other than `Output`."""


class Journal:
    """Remembers what was sent to topics, with secrets masked, and what they answered.

    Of a topic, and of all, the oldest exchanges are forgotten when there are too many; those of the topic
    that was used least recently first.
    """

    def __init__(self) -> None:
        self._topics: OrderedDict[Key, _Topic] = OrderedDict()
        self._running: dict[int, tuple[Key, Exchange]] = {}
        self._numbers = count(1)
        self.size = 0

    def begin(self, user_id: str, topic: str, shown: str, request_id: str | None = None) -> Exchange:
        """Add a command that begins."""
        exchange = Exchange(next(self._numbers), shown, request_id, time.time())
        self._running[exchange.number] = ((user_id, topic), exchange)
        return exchange

    def end(self, exchange: Exchange, reply: Reply, names: Mapping[str, str]) -> None:
        """Add the reply to a command, with the secrets in it replaced by names."""
        key, _ = self._running.pop(exchange.number)
        exchange.end(kept_reply(reply, names))
        topic = self._topics.get(key)
        if topic is None:
            topic = self._topics[key] = _Topic()
        topic.unconfirmed.append(exchange)
        self._keep(key, topic, exchange)

    def answer(self, user_id: str, topic: str, exchange: Exchange, reply: Reply) -> None:
        """Add the reply to a request, unless its command did reach the interceptors."""
        key = (user_id, topic)
        found = self._topics.setdefault(key, _Topic())
        known = next((it for it in reversed(found.ended) if it.request_id == exchange.request_id), None)
        if known and not known.was_refused:
            return
        if known:
            self._drop(found, known)
        else:
            found.unconfirmed.append(exchange)
        exchange.number = next(self._numbers)
        exchange.end(kept_reply(reply, {}))
        self._keep(key, found, exchange)

    def apply(self, published: Published) -> None:
        """Take over what an event says about a topic; one that was applied before changes nothing."""
        event, seq = published.event, published.seq or 0
        key = (event.user_id or "", event.topic or "")
        if isinstance(event, Output):
            self._print(key, event, seq)
        elif isinstance(event, UserRemoved):
            self._forget_user(key[0], event.at)
        elif isinstance(event, CommandEnded):
            topic = self._topics.setdefault(key, _Topic())
            if seq > topic.seen:
                topic.seen = seq
                self._confirm(key, topic, event)
        elif isinstance(event, SessionEnded):
            self.forget(*key, event.at)

    def _confirm(self, key: Key, topic: _Topic, event: CommandEnded) -> None:
        """Take over the label of a command that has ended; if it was refused at once, add it."""
        begun = event.at - event.seconds - _TOLERANCE_SECONDS
        for exchange in topic.unconfirmed:
            if begun <= exchange.begun and (exchange.ended or 0) <= event.at + _TOLERANCE_SECONDS:
                topic.unconfirmed.remove(exchange)
                exchange.label = event.label
                return
        reply = Reply.error(event.code or ErrorCode.INTERNAL_ERROR, "The command was refused before it ran.")
        exchange = Exchange(next(self._numbers), event.label, event.request_id, begun, event.at, reply)
        exchange.was_refused = True
        self._keep(key, topic, exchange)

    def _print(self, key: Key, output: Output, seq: int) -> None:
        """Add output to the command of its request, or else to the one that runs longest."""
        running = self.running(*key)
        asked = (it for it in running if it.request_id == output.request_id)
        if exchange := next(asked, running[0] if running else None):
            exchange.print(output, seq)

    @property
    def all_running(self) -> Collection[tuple[Key, Exchange]]:
        """The commands that run, each with its user and topic, the oldest first."""
        return self._running.values()

    def running(self, user_id: str, topic: str) -> Sequence[Exchange]:
        """Return the commands of a topic that run, the oldest first."""
        return [it for key, it in self._running.values() if key == (user_id, topic)]

    def exchanges(self, user_id: str, topic: str) -> Sequence[Exchange]:
        """Return the exchanges of a topic in the order of their beginning, those that run included."""
        found = self._topics.get((user_id, topic))
        ended = () if found is None else found.ended
        return sorted((*ended, *self.running(user_id, topic)), key=lambda it: it.begun)

    def forget(self, user_id: str, topic: str, before: float) -> None:
        """Forget the exchanges of a topic that ended before a time."""
        found = self._topics.get((user_id, topic))
        if found is None:
            return
        while found.ended and (found.ended[0].ended or 0) < before:
            self._drop(found, found.ended[0])
        if not found.ended:
            del self._topics[user_id, topic]

    def _forget_user(self, user_id: str, before: float) -> None:
        for key in [it for it in self._topics if it[0] == user_id]:
            self.forget(*key, before)

    def _keep(self, key: Key, topic: _Topic, exchange: Exchange) -> None:
        size = exchange.measured()
        topic.ended.append(exchange)
        topic.size += size
        self.size += size
        while len(topic.ended) > MOST_EXCHANGES or (topic.size > MOST_BYTES and len(topic.ended) > 1):
            self._drop(topic, topic.ended[0])
        self._topics.move_to_end(key)
        while self.size > MOST_BYTES_IN_ALL:
            self._drop_least_used()

    def _drop_least_used(self) -> None:
        key, topic = next(iter(self._topics.items()))
        if topic.ended:
            self._drop(topic, topic.ended[0])
        if not topic.ended:
            del self._topics[key]

    def _drop(self, topic: _Topic, exchange: Exchange) -> None:
        topic.ended.remove(exchange)
        topic.size -= exchange.size
        self.size -= exchange.size


_journals: WeakKeyDictionary[Runtime, Journal] = WeakKeyDictionary()


def journal_of(runtime: Runtime) -> Journal:
    """Return the one journal of a daemon."""
    journal = _journals.get(runtime)
    if journal is None:
        journal = _journals[runtime] = Journal()
    return journal


async def record(invocation: Invocation, proceed: Proceed) -> Reply:
    """Add a command and its reply to the journal."""
    journal, session = journal_of(invocation.runtime), invocation.session
    user_id, topic = session.user.id, session.name.text
    exchange = journal.begin(user_id, topic, invocation.shown, invocation.request_id)
    reply = _CANCELLED
    try:
        reply = await proceed(invocation)
        return reply
    finally:
        journal.end(exchange, reply, current_output().secret_names())
