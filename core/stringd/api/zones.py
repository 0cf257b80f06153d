"""Network zones: how far an address, and content that came from it, is from this machine."""

from __future__ import annotations

from enum import IntEnum

from stringd.frozen_record import FrozenRecord


class Zone(IntEnum):
    """The zones of the network, from the farthest to the nearest.

    Content may lead to addresses of its own zone and of those farther away; a nearer zone needs the user's
    confirmation.
    """

    PUBLIC = 0
    PRIVATE = 1
    LOOPBACK = 2

    def nearest_allowed(self, *, confirmed: bool = False) -> Zone:
        """Return the nearest zone that content of this one may lead to; public content never leads nearer."""
        return Zone.LOOPBACK if confirmed and self > Zone.PUBLIC else self


class ZoneLimit(FrozenRecord, frozen=True, kw_only=True):
    """The nearest zone that the daemon may connect to, and a sentence that says where that is set."""

    nearest_zone: Zone
    reason: str
