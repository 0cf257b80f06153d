"""The other daemons that keep their state where this one does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from stringd.api.doors import Application
from stringd.frozen_record import FrozenRecord

HERE = "here"
"""The parameter of a query that asks a daemon for what it has itself, without that of its peers."""


class PeerNode(FrozenRecord, frozen=True, kw_only=True):
    """A daemon that takes part now."""

    name: str
    is_here: bool
    is_draining: bool = False
    labels: Sequence[str] = ()


class Peers(Protocol):
    """The daemons of a cluster, as one of them sees them."""

    def nodes(self) -> Sequence[PeerNode]:
        """The daemons that take part now, this one included, by name."""

    async def passage(self, user_id: str) -> Application | None:
        """Return what answers a request of the operator where a user's home is; None if that is here.

        Raises `HomeMoved` if it is nowhere now.
        """

    async def ask(self, path: str) -> Mapping[str, Mapping[str, Any]]:
        """Return the JSON objects that the others answer a GET of the operator with, by their names.

        Those that don't answer in time are left out.
        """

    async def resting_topics(self) -> Sequence[tuple[str, str]]:
        """Return the users and names of the topics that are stored, and that no daemon has now."""
