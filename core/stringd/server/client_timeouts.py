"""How long connections wait for their clients: each wait has its end, and the oldest ones make room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import islice
from typing import Protocol

MEBIBYTE = 1024**2


class Wait(Enum):
    """What a connection waits for its client to do."""

    HEAD = auto()
    BODY = auto()
    NEXT_REQUEST = auto()
    READ = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many seconds each wait may last, and how many bytes may be kept for all clients together."""

    seconds: Mapping[Wait, float] = field(
        default_factory=lambda: {Wait.HEAD: 10.0, Wait.BODY: 30.0, Wait.NEXT_REQUEST: 75.0, Wait.READ: 60.0}
    )
    received: int = 256 * MEBIBYTE
    unread: int = 256 * MEBIBYTE


class Peer(Protocol):
    """A connection, as far as it waits."""

    @property
    def unread(self) -> int:
        """How many bytes of an answer the client has not taken yet."""

    def time_out(self, wait: Wait) -> None:
        """End a wait that has lasted too long, or begin it anew where the client is not to blame."""

    def make_room(self) -> None:
        """End because others need what this connection holds."""


class ClientTimeouts:
    """Knows which connections wait, each for one thing, and ends waits that last too long.

    Its clock stands still while the event loop is held: what a client has sent meanwhile is not read yet.
    """

    longest_step = 0.5

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.received = 0
        """How many bytes of requests are kept that are not answered yet."""
        self._now = 0.0
        self._ticked = 0.0
        self._waiting: Mapping[Wait, dict[Peer, float]] = {wait: {} for wait in Wait}

    def expect(self, peer: Peer, wait: Wait) -> None:
        """Begin a wait."""
        self._waiting[wait][peer] = self._now

    def forget(self, peer: Peer, wait: Wait) -> None:
        """End a wait, if it has begun."""
        self._waiting[wait].pop(peer, None)

    def tick(self, time: float) -> None:
        """Note that time has passed, and end what has waited for too long."""
        self._now += min(max(time - self._ticked, 0.0), self.longest_step)
        self._ticked = time
        for peer, wait in list(self._overdue()):
            self.forget(peer, wait)
            peer.time_out(wait)

    def give_up_oldest(self) -> bool:
        """Have the connection make room that has waited longest; false if none waits."""
        return self._give_up(Wait)

    def note_received(self, size: int) -> bool:
        """Count bytes of a request; false if there is no room for them, whatever is given up."""
        self.received += size
        while self.received > self.limits.received and self._give_up((Wait.BODY,)):
            pass
        return self.received <= self.limits.received

    def check_unread(self) -> None:
        """Have those make room who have read nothing for longest, where too much waits to be read."""
        unread = sum(peer.unread for peer in self._waiting[Wait.READ])
        while unread > self.limits.unread:
            peer = next(iter(self._waiting[Wait.READ]))
            unread -= peer.unread
            self._end(peer, Wait.READ)

    def _overdue(self) -> Iterator[tuple[Peer, Wait]]:
        for wait, peers in self._waiting.items():
            for peer, since in peers.items():
                if since + self.limits.seconds[wait] > self._now:
                    break
                yield peer, wait

    def _give_up(self, waits: type[Wait] | tuple[Wait, ...]) -> bool:
        oldest = [
            (since, wait.value, peer, wait)
            for wait in waits
            for peer, since in islice(self._waiting[wait].items(), 1)
        ]
        if not oldest:
            return False
        _, _, peer, wait = min(oldest, key=lambda it: it[:2])
        self._end(peer, wait)
        return True

    def _end(self, peer: Peer, wait: Wait) -> None:
        self.forget(peer, wait)
        peer.make_room()
