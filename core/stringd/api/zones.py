"""How far from this machine an address, and whatever came from it, lies."""

from __future__ import annotations

from enum import IntEnum


class Zone(IntEnum):
    """The zones of the network, from the farthest to the nearest.

    What came from a zone may lead to addresses of that zone and of those farther away; a step nearer is
    somebody's decision.
    """

    PUBLIC = 0
    PRIVATE = 1
    LOOPBACK = 2

    def reach(self, *, confirmed: bool = False) -> Zone:
        """Return the nearest zone that what came from this one may lead to; nothing leads in from outside."""
        return Zone.LOOPBACK if confirmed and self > Zone.PUBLIC else self
