"""The journal: the last exchanges of each topic, in memory only and within bounds."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
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
_CANCELLED = Reply.error(ErrorCode.CANCELLED, "The command was cancelled.")
# The clock of events and that of exchanges are read one after the other.
_TOLERANCE_SECONDS = 0.002
_MOST_UNCONFIRMED = 64


@dataclass(slots=True)
class _Topic:
    running: dict[int, Exchange] = field(default_factory=dict)
    ended: deque[Exchange] = field(default_factory=deque)
    unconfirmed: deque[Exchange] = field(default_factory=lambda: deque(maxlen=_MOST_UNCONFIRMED))
    size: int = 0
    seen: int = 0
    """The number of the newest event that has been applied, other than `Output`."""
    seen_output: int = 0


class Journal:
    """Remembers what was sent to topics, with secrets masked, and what they answered.

    Of a topic, and of all, the oldest exchanges are forgotten when there are too many; those of the topic
    that was used least recently first.
    """

    def __init__(self) -> None:
        self._topics: OrderedDict[tuple[str, str], _Topic] = OrderedDict()
        self._numbers = count(1)
        self.size = 0

    def begin(self, user_id: str, topic: str, shown: str, request_id: str | None = None) -> Exchange:
        """Add a command that begins."""
        exchange = Exchange(next(self._numbers), shown, request_id, time.time())
        key = (user_id, topic)
        found = self._topics.get(key)
        if found is None:
            found = self._topics[key] = _Topic()
        found.running[exchange.number] = exchange
        return exchange

    def end(
        self, user_id: str, topic: str, exchange: Exchange, reply: Reply, names: Mapping[str, str]
    ) -> None:
        """Add the reply to a command, with the secrets in it replaced by names."""
        key = (user_id, topic)
        found = self._topics.get(key)
        if found is None:
            found = self._topics[key] = _Topic()
        found.running.pop(exchange.number, None)
        exchange.end(kept_reply(reply, names))
        found.unconfirmed.append(exchange)
        self._keep(key, found, exchange)

    def apply(self, published: Published) -> None:
        """Take over what an event says about a topic; one that was applied before changes nothing."""
        event, seq = published.event, published.seq or 0
        if isinstance(event, UserRemoved):
            self._forget_user(event.user_id or "")
            return
        key = (event.user_id or "", event.topic or "")
        found = self._topics.get(key)
        if isinstance(event, Output):
            if found and seq > found.seen_output:
                found.seen_output = seq
                _print(found, event)
        elif isinstance(event, CommandEnded):
            found = found or self._topics.setdefault(key, _Topic())
            if seq > found.seen:
                found.seen = seq
                self._confirm(key, found, event)
        elif isinstance(event, SessionEnded) and found and seq > found.seen:
            found.seen = seq
            self.forget(*key, event.at)

    def _confirm(self, key: tuple[str, str], topic: _Topic, event: CommandEnded) -> None:
        """Take over the label of a command that has ended; if it was refused at once, add it."""
        begun = event.at - event.seconds - _TOLERANCE_SECONDS
        for exchange in topic.unconfirmed:
            if begun <= exchange.begun and (exchange.ended or 0) <= event.at + _TOLERANCE_SECONDS:
                topic.unconfirmed.remove(exchange)
                exchange.label = event.label
                return
        reply = Reply.error(event.code or ErrorCode.INTERNAL_ERROR, "The command was refused before it ran.")
        exchange = Exchange(next(self._numbers), event.label, event.request_id, begun, event.at, reply)
        self._keep(key, topic, exchange)

    def exchanges(self, user_id: str, topic: str) -> Sequence[Exchange]:
        """Return the exchanges of a topic in the order of their beginning, those that run included."""
        found = self._topics.get((user_id, topic))
        if found is None:
            return ()
        return sorted((*found.ended, *found.running.values()), key=lambda it: it.begun)

    def running(self, user_id: str, topic: str) -> Sequence[Exchange]:
        """Return the commands of a topic that run, the oldest first."""
        found = self._topics.get((user_id, topic))
        return () if found is None else tuple(found.running.values())

    def forget(self, user_id: str, topic: str, before: float) -> None:
        """Forget the exchanges of a topic that ended before a time."""
        found = self._topics.get((user_id, topic))
        while found and found.ended and (found.ended[0].ended or 0) < before:
            self._drop_oldest(found)
        if found:
            found.unconfirmed.clear()

    def _forget_user(self, user_id: str) -> None:
        for key in [it for it in self._topics if it[0] == user_id]:
            self.size -= self._topics.pop(key).size

    def _keep(self, key: tuple[str, str], topic: _Topic, exchange: Exchange) -> None:
        size = exchange.measured()
        topic.ended.append(exchange)
        topic.size += size
        self.size += size
        while len(topic.ended) > MOST_EXCHANGES or (topic.size > MOST_BYTES and len(topic.ended) > 1):
            self._drop_oldest(topic)
        self._topics.move_to_end(key)
        while self.size > MOST_BYTES_IN_ALL:
            oldest_key, oldest = next(iter(self._topics.items()))
            if oldest.ended:
                self._drop_oldest(oldest)
            if not oldest.ended:
                self._topics.move_to_end(oldest_key) if oldest.running else self._topics.popitem(last=False)

    def _drop_oldest(self, topic: _Topic) -> None:
        size = topic.ended.popleft().size
        topic.size -= size
        self.size -= size


def _print(topic: _Topic, output: Output) -> None:
    """Add output to the command of its request, or else to the one that runs longest."""
    running = topic.running.values()
    asked = (it for it in running if it.request_id == output.request_id)
    if exchange := next(asked, next(iter(running), None)):
        exchange.print(output)


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
        journal.end(user_id, topic, exchange, reply, current_output().secret_names())
