"""How long a home gave no answer to a client that keeps trying, and how long it might have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from stringd_cluster.homes.home_moves import GRACE_SECONDS
from tests.cluster.chaos.history import OF_ENGINE, ORDERLY, Fault, History, Kind, Outcome

ASKING_SECONDS = 0.1
"""How often the client asks."""
_NOTICE_SECONDS = 0.3
"""What a command may have begun after the last answer of a home that passes on."""
MARGIN = 0.5
"""The seconds that a failover may take beyond the lease, and all that an orderly change may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A time in which a home answered nobody."""

    home: str
    began: float
    ended: float
    faults: Sequence[Fault]
    allowed: float
    unasked: float
    """For how long the client stood still itself, and neither asked nor read answers."""

    @property
    def seconds(self) -> float:
        """How long it was, as far as the client could see."""
        return self.ended - self.began - self.unasked

    @property
    def is_too_long(self) -> bool:
        """Whether it was longer than the faults in it explain."""
        return self.seconds > self.allowed


def silences(history: History, margin: float = MARGIN) -> Iterator[Silence]:
    """Yield the time between every two answers of a home, with the faults that fell into it."""
    lease = history.lease_seconds
    for home in history.effects:
        pings = history.of_kind(home, Kind.PING)
        asked = sorted(it.began for it in pings)
        answers = sorted(it.ended for it in pings if it.outcome is Outcome.DONE)
        # The first answer counts from the first question, and a home that stays silent until the last one.
        times = [asked[0], *answers, max(it.ended for it in pings)] if pings else []
        for began, ended in pairwise(times):
            concerned = (it for it in history.faults if _concerns(it, home))
            faults = [it for it in concerned if _touches(it, began, ended, lease)]
            commands = _running(history, home, began)
            allowed = _allowed(faults, commands, began, lease, margin)
            unasked = _unasked(asked, began, ended)
            yield Silence(
                home=home, began=began, ended=ended, faults=faults, allowed=allowed, unasked=unasked
            )


def _unasked(asked: Sequence[float], began: float, ended: float) -> float:
    """Return how much of a time lies in pauses between questions that are longer than they should be."""
    pauses = ((last + 2 * ASKING_SECONDS, following) for last, following in pairwise(asked))
    return sum(max(0.0, min(until, ended) - max(since, began)) for since, until in pauses)


def _concerns(fault: Fault, home: str) -> bool:
    """Return whether a fault may silence a home: that of its owner, or of what all nodes need."""
    return not fault.node or home in fault.homes


def _touches(fault: Fault, began: float, ended: float, lease: float) -> bool:
    """Return whether a fault fell into a time; a lease may run out just as the engine is back."""
    lasted = max(fault.ended, fault.began + lease) if fault.kind in OF_ENGINE else fault.ended
    return fault.began <= ended and lasted >= began


def _running(history: History, home: str, at: float) -> float:
    """Return for how long commands of shells ran on that ran at a time: an orderly change waits for them."""
    shells = (it for it in history.operations if it.home == home and it.kind is Kind.SHELL)
    left = (it.ended - at for it in shells if it.began - _NOTICE_SECONDS < at < it.ended)
    return min(max(left, default=0.0), GRACE_SECONDS)


def _allowed(faults: Sequence[Fault], commands: float, began: float, lease: float, margin: float) -> float:
    """Return the longest silence that these faults explain."""
    allowed = margin
    for it in faults:
        since = max(0.0, it.began - began)
        if it.kind in ORDERLY:
            allowed = max(allowed, since + margin, commands + margin)
        elif it.kind in OF_ENGINE:
            # Nobody can take over anything until it is back.
            allowed = max(allowed, it.ended - began + lease + margin)
        else:
            allowed = max(allowed, since + lease + margin)
    return allowed
