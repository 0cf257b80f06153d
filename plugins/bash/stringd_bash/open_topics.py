"""The bash topics of a daemon that are open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from msgspec import Struct, field

from stringd_bash.bash_topic import BashTopic

TopicKey: TypeAlias = tuple[str, str]
"""The id of a user and the name of a topic."""


class OpenTopics(Struct):
    """Finds topics, and tells when one opens or closes."""

    _topics: dict[TopicKey, BashTopic] = field(default_factory=dict)
    _watchers: set[tuple[TopicKey, Callable[[], None]]] = field(default_factory=set)

    @property
    def shells(self) -> int:
        """The number of running shells."""
        return sum(it.has_shell for it in self._topics.values())

    def find(self, key: TopicKey) -> BashTopic | None:
        """Return the topic, if it is open."""
        return self._topics.get(key)

    @contextmanager
    def holding(self, key: TopicKey, topic: BashTopic) -> Iterator[None]:
        """List a topic as open."""
        self._topics[key] = topic
        self._notify(key)
        try:
            yield
        finally:
            del self._topics[key]
            self._notify(key)

    @contextmanager
    def watch(self, key: TopicKey, notify: Callable[[], None]) -> Iterator[None]:
        """Call a function when the topic opens or closes."""
        watcher = (key, notify)
        self._watchers.add(watcher)
        try:
            yield
        finally:
            self._watchers.discard(watcher)

    def _notify(self, key: TopicKey) -> None:
        for watched, notify in tuple(self._watchers):
            if watched == key:
                notify()
