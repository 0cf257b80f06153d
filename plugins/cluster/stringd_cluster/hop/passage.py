"""What all requests need on their way to other nodes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec import Struct
from starlette.types import Receive, Scope, Send

from stringd_cluster.hop.hop_headers import Caller
from stringd_cluster.hop.next_owner import NextOwner, Places
from stringd_cluster.hop.peer_connections import PeerConnections
from stringd_cluster.hop.peer_watch import PeerWatch

Serve: TypeAlias = Callable[[Scope, Receive, Send, Caller], Awaitable[None]]
"""Answers an admitted request whose home is at this node."""


class Passage(Struct, frozen=True, kw_only=True):
    """Connections to the nodes, and where to go if one of them does not answer."""

    connections: PeerConnections
    watch: PeerWatch
    places: Places
    patience: float
    """For how many seconds another owner is looked for."""
    serve: Serve

    def next_owner(self, user_id: str) -> NextOwner:
        """Return who finds the nodes to ask for one request."""
        return NextOwner(self.places, self.watch, user_id, self.patience)
