"""The journal: the last exchanges of each topic, in memory only and within bounds."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from time import time
from typing import TypeAlias

from msgspec import Struct, field

from stringd.plugin import (
    CommandEnded,
    Output,
    Published,
    Reply,
    Runtime,
    SessionEnded,
    UserRemoved,
)
from stringd_console.topic_pages.exchange import Exchange, kept_reply

MOST_EXCHANGES = 200
MOST_BYTES = 256 * 1024
MOST_BYTES_IN_ALL = 16 * 1024 * 1024
_MOST_TOPICS = 20_000
_MOST_FRESH = 512
_MOST_FRESH_CHARACTERS = 4096
# The clock of events and that of exchanges are read one after the other.
_TOLERANCE_SECONDS = 0.002
_MASK_NOTHING: Mapping[str, str] = {}

Key: TypeAlias = tuple[str, str]
"""A user and the full name of a topic."""


class _Topic(Struct):
    ended: deque[Exchange] = field(default_factory=deque)
    size: int = 0
    since: float = 0.0
    """What ended before is forgotten."""
    seen: int = 0
    """The number of the newest `CommandEnded` that has been applied."""


class Journal:
    """Remembers what was sent to topics, with secrets masked, and what they answered.

    Of a topic, and of all, the oldest exchanges are forgotten when there are too many; those of the topic
    that was used least recently first. Events are applied when somebody looks, so that commands do not pay
    for it; each may be applied several times.
    """

    def __init__(self) -> None:
        self._topics: OrderedDict[Key, _Topic] = OrderedDict()
        self._running: dict[Exchange, Key] = {}
        self._fresh: list[tuple[Exchange, Key]] = []
        self._since = 0.0
        self.size = 0
        """About how many bytes all exchanges take that have been filed."""
        self.is_kept = False
        """Whether commands are recorded: only for an operator, since nobody else can see them."""

    def begin(self, user_id: str, topic: str, shown: str, request_id: str | None) -> Exchange:
        """Add a command that begins."""
        exchange = Exchange(shown, request_id, time())
        self._running[exchange] = (user_id, topic)
        return exchange

    def end(self, exchange: Exchange, reply: Reply) -> None:
        """Add the reply to a command; several are filed at once, which takes less time."""
        exchange.ended = time()
        exchange.reply = reply
        fresh = self._fresh
        fresh.append((exchange, self._running.pop(exchange)))
        size = len(exchange.shown) + len(reply.content or "")
        if len(fresh) >= _MOST_FRESH or size > _MOST_FRESH_CHARACTERS:
            self._file()

    def answer(self, user_id: str, topic: str, exchange: Exchange, reply: Reply) -> None:
        """Add the reply to a request, unless its command has been added."""
        self._file()
        key = (user_id, topic)
        found = self._topics.get(key) or self._add_topic(key)
        known = next((it for it in reversed(found.ended) if it.request_id == exchange.request_id), None)
        if known and not known.was_refused:
            return
        if known:
            self._drop(found, known)
        exchange.ended, exchange.reply = time(), kept_reply(reply, _MASK_NOTHING)
        self._keep(key, found, exchange)

    def apply(self, published: Published) -> None:
        """Take over what an event says about a topic."""
        self._file()
        event, seq = published.event, published.seq or 0
        key = (event.user_id or "", event.topic or "")
        if isinstance(event, Output):
            self._print(key, event, seq)
        elif isinstance(event, UserRemoved):
            for known in [it for it in self._topics if it[0] == event.user_id]:
                self.forget(*known, event.at)
        elif isinstance(event, SessionEnded):
            self.forget(*key, event.at)
        elif isinstance(event, CommandEnded):
            topic = self._topics.get(key) or self._add_topic(key)
            if seq > topic.seen:
                topic.seen = seq
                self._confirm(key, topic, event)

    def seen(self, user_id: str, topic: str) -> int:
        """Return the number of the newest event about a topic's commands that has been applied."""
        found = self._topics.get((user_id, topic))
        return found.seen if found else 0

    @property
    def all_running(self) -> Collection[tuple[Exchange, Key]]:
        """The commands that run, each with its user and topic, the oldest first."""
        return self._running.items()

    def running(self, user_id: str, topic: str) -> Sequence[Exchange]:
        """Return the commands of a topic that run, the oldest first."""
        return [it for it, key in self._running.items() if key == (user_id, topic)]

    def exchanges(self, user_id: str, topic: str) -> Sequence[Exchange]:
        """Return the exchanges of a topic in the order of their beginning, those that run included."""
        self._file()
        found = self._topics.get((user_id, topic))
        ended = () if found is None else found.ended
        return sorted((*ended, *self.running(user_id, topic)), key=lambda it: it.begun)

    def find(self, number: str) -> Exchange | None:
        """Return an exchange that is kept."""
        self._file()
        every = (it for topic in self._topics.values() for it in topic.ended)
        return next((it for it in every if str(it.number) == number), None)

    def forget(self, user_id: str, topic: str, before: float) -> None:
        """Forget the exchanges of a topic that ended before a time."""
        self._file()
        found = self._topics.get((user_id, topic))
        if found is None:
            return
        found.since = max(found.since, before)
        for exchange in [it for it in found.ended if it.ended < before]:
            self._drop(found, exchange)

    def _confirm(self, key: Key, topic: _Topic, event: CommandEnded) -> None:
        """Take over the label of a command that has ended; if it was refused at once, add it."""
        begun = event.at - event.seconds - _TOLERANCE_SECONDS
        meant = None
        for exchange in reversed(topic.ended):
            if exchange.ended < begun:
                break
            if (
                begun <= exchange.begun
                and exchange.ended <= event.at + _TOLERANCE_SECONDS
                and not exchange.label
                and exchange.request_id == event.request_id
            ):
                # Several may have run within the tolerance: events come in their order.
                meant = exchange
        if meant:
            meant.label = event.label
            return
        if event.code and event.at > max(topic.since, self._since):
            exchange = Exchange(event.label, event.request_id, begun)
            exchange.was_refused = True
            exchange.ended = event.at
            exchange.reply = Reply.error(event.code, "The command was refused before it ran.")
            self._keep(key, topic, exchange)

    def _print(self, key: Key, output: Output, seq: int) -> None:
        """Add output to the command of its request, or else to the one that runs longest."""
        running = self.running(*key)
        asked = (it for it in running if it.request_id == output.request_id)
        if exchange := next(asked, running[0] if running else None):
            exchange.print(output, seq)

    def _file(self) -> None:
        """Add the exchanges that have ended last to those of their topics."""
        fresh, self._fresh = self._fresh, []
        for exchange, key in self._newest(fresh):
            self._keep(key, self._topics.get(key) or self._add_topic(key), exchange)

    def _newest(self, fresh: Sequence[tuple[Exchange, Key]]) -> Iterable[tuple[Exchange, Key]]:
        """Return as many of each topic as are kept; most commands of a busy topic need not be filed."""
        if len(fresh) <= MOST_EXCHANGES:
            return fresh
        counts: Counter[Key] = Counter()
        newest = []
        for exchange, key in reversed(fresh):
            counts[key] += 1
            if counts[key] <= MOST_EXCHANGES:
                newest.append((exchange, key))
            else:
                topic = self._topics.get(key) or self._add_topic(key)
                topic.since = max(topic.since, exchange.ended)
        return reversed(newest)

    def _add_topic(self, key: Key) -> _Topic:
        topic = self._topics[key] = _Topic()
        if len(self._topics) > _MOST_TOPICS:
            self._drop_least_used()
        return topic

    def _keep(self, key: Key, topic: _Topic, exchange: Exchange) -> None:
        ended = topic.ended
        if exchange.is_typing and ended and ended[-1].take_over(exchange):
            return
        size = exchange.measure()
        ended.append(exchange)
        topic.size += size
        self.size += size
        while len(ended) > MOST_EXCHANGES or (topic.size > MOST_BYTES and len(ended) > 1):
            self._drop(topic, ended[0])
        self._topics.move_to_end(key)
        while self.size > MOST_BYTES_IN_ALL:
            self._drop_least_used()

    def _drop_least_used(self) -> None:
        """Forget the oldest exchange of the topic that was used least recently, and then the topic."""
        key, topic = next(iter(self._topics.items()))
        if topic.ended:
            self._drop(topic, topic.ended[0])
        if not topic.ended:
            del self._topics[key]
            self._since = max(self._since, topic.since)

    def _drop(self, topic: _Topic, exchange: Exchange) -> None:
        topic.ended.remove(exchange)
        topic.size -= exchange.size
        topic.since = max(topic.since, exchange.ended)
        self.size -= exchange.size


_journals: list[Journal] = []


@cache
def journal_of(_: Runtime) -> Journal:
    """Return the one journal of a daemon."""
    journal = Journal()
    _journals.append(journal)
    return journal


def all_journals() -> Sequence[Journal]:
    """Return the journals of all daemons of this process."""
    return _journals
