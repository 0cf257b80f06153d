"""`NodeHop`: the requests that this node passes on to others, and those that it gets from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from starlette.types import Receive, Scope, Send

from stringd_cluster.cluster_settings import ClusterSettings
from stringd_cluster.hop.hop_headers import Caller
from stringd_cluster.hop.http_forwarding import HttpForwarding
from stringd_cluster.hop.incoming_request import IncomingRequest
from stringd_cluster.hop.next_owner import Places
from stringd_cluster.hop.node_identity import NodeIdentity
from stringd_cluster.hop.passage import Passage, Serve
from stringd_cluster.hop.peer_calls import PeerCalls
from stringd_cluster.hop.peer_connections import PeerConnections
from stringd_cluster.hop.peer_watch import Membership, PeerWatch
from stringd_cluster.hop.received_requests import ReceivedRequests
from stringd_cluster.hop.websocket_relay import WebSocketRelay
from stringd_cluster.membership.live_nodes import Node
from stringd_cluster.sharing.sharing_node import PeerAnswer

# A lost owner's lease ends within its seconds; the next one needs some time to take the home over.
_TAKEOVER_SECONDS = 4.0


class HopNode(Membership, Places, Protocol):
    """A node of a cluster, as the hop needs it."""

    @property
    def identity(self) -> NodeIdentity:
        """Its certificate, and the cluster that it is of."""

    @property
    def settings(self) -> ClusterSettings:
        """Its addresses, and the length of leases."""

    async def take(self, user_id: str, *, running: bool = False) -> None:
        """Serve a home for a request that was passed on, or raise `HomeElsewhere`."""


class NodeHop:
    """Forwards requests to the nodes that have their homes, and serves those that other nodes pass on."""

    def __init__(self, node: HopNode, serve: Serve) -> None:
        self._node = node
        self._connections = PeerConnections(node.identity)
        watch = PeerWatch(node, self._connections.drop)
        self._passage = Passage(
            connections=self._connections,
            watch=watch,
            places=node,
            patience=node.settings.lease_seconds + _TAKEOVER_SECONDS,
            serve=serve,
        )
        self._calls = PeerCalls(node, self._connections, watch)
        self.from_node = ReceivedRequests(node.take, serve)
        """The application for the socket for nodes."""

    async def forward(
        self, scope: Scope, receive: Receive, send: Send, target: Node | None, caller: Caller
    ) -> None:
        """Have a request answered by another node, as if it had come there.

        Without a target, this node had the home, and did not run the request since the home was leaving.
        """
        if scope["type"] == "websocket":
            await WebSocketRelay(self._passage, scope, receive, send, caller).run(target)
        else:
            await HttpForwarding(self._passage, IncomingRequest(scope, receive, caller), send).run(target)

    async def call(
        self, node_id: str, method: str, path: str, fields: Mapping[str, Any], user_id: str | None
    ) -> PeerAnswer:
        """Send a request to another node, as a user or as the operator; raise `OSError` if that fails."""
        return await self._calls.call(node_id, method, path, fields, user_id)

    async def close(self) -> None:
        """Close the connections to other nodes."""
        await self._connections.close()
