"""Deadlines for waiting on clients, and limits on what is buffered for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum, auto
from itertools import islice
from math import inf
from typing import Protocol

from msgspec import Struct, field

MEBIBYTE = 1024**2


class Wait(IntEnum):
    """What a connection awaits from its client.

    One that sends events awaits nothing, but gives way when others find no room. Members are integers, since
    each request has two waits, and others are hashed slowly.
    """

    HANDSHAKE = auto()
    HEAD = auto()
    BODY = auto()
    NEXT_REQUEST = auto()
    READ = auto()
    EVENTS = auto()


_TIMED = tuple(it for it in Wait if it is not Wait.EVENTS)


class Limits(Struct, frozen=True, kw_only=True):
    """Seconds for each kind of wait, and bytes buffered for all clients together."""

    seconds: Mapping[Wait, float] = field(
        default_factory=lambda: {
            Wait.HANDSHAKE: 10.0,
            Wait.HEAD: 10.0,
            Wait.BODY: 30.0,
            Wait.NEXT_REQUEST: 75.0,
            Wait.READ: 60.0,
            Wait.EVENTS: inf,
        }
    )
    received: int = 256 * MEBIBYTE
    unread: int = 256 * MEBIBYTE


class Peer(Protocol):
    """A connection that can be timed out or dropped."""

    @property
    def unread(self) -> int:
        """How many bytes of an answer the client has not read yet."""

    def time_out(self, wait: Wait) -> None:
        """End an overdue wait, or restart it if the client is not at fault."""

    def make_room(self) -> None:
        """Close to free resources for others."""


class ClientTimeouts:
    """Times waiting connections out, and drops the longest waiting ones where resources run out.

    Its clock pauses while the event loop is blocked, since data that has arrived meanwhile is unread.
    """

    longest_step = 0.5

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.received = 0
        """How many bytes of unanswered requests are buffered."""
        self._now = 0.0
        self._ticked = 0.0
        self._waiting: Mapping[Wait, dict[Peer, float]] = {wait: {} for wait in Wait}

    def expect(self, peer: Peer, wait: Wait) -> None:
        """Start a wait."""
        self._waiting[wait][peer] = self._now

    def forget(self, peer: Peer, wait: Wait) -> None:
        """Stop a wait, if there is one."""
        self._waiting[wait].pop(peer, None)

    def tick(self, time: float) -> None:
        """Advance the clock and time out overdue waits."""
        self._now += min(max(time - self._ticked, 0.0), self.longest_step)
        self._ticked = time
        for peer, wait in list(self._overdue()):
            self.forget(peer, wait)
            peer.time_out(wait)

    def drop_oldest(self) -> bool:
        """Drop the connection that has waited longest, else the oldest that sends events, if there is one."""
        return self._drop_first(_TIMED) or self._drop_first((Wait.EVENTS,))

    def note_received(self, size: int) -> bool:
        """Count bytes of a request, dropping others for them; return whether the limit is kept."""
        self.received += size
        while self.received > self.limits.received and self._drop_first((Wait.BODY,)):
            pass
        return self.received <= self.limits.received

    def check_unread(self) -> None:
        """Drop the clients that have not read for longest while too much is unread."""
        unread = sum(peer.unread for peer in self._waiting[Wait.READ])
        while unread > self.limits.unread:
            peer = next(iter(self._waiting[Wait.READ]))
            unread -= peer.unread
            self._drop(peer, Wait.READ)

    def _overdue(self) -> Iterator[tuple[Peer, Wait]]:
        for wait, peers in self._waiting.items():
            for peer, since in peers.items():
                if since + self.limits.seconds[wait] > self._now:
                    break
                yield peer, wait

    def _drop_first(self, waits: tuple[Wait, ...]) -> bool:
        oldest = [
            (since, wait.value, peer, wait)
            for wait in waits
            for peer, since in islice(self._waiting[wait].items(), 1)
        ]
        if not oldest:
            return False
        _, _, peer, wait = min(oldest, key=lambda it: it[:2])
        self._drop(peer, wait)
        return True

    def _drop(self, peer: Peer, wait: Wait) -> None:
        self.forget(peer, wait)
        peer.make_room()
