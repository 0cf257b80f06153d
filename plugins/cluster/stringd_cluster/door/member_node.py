"""A node as sharing sees it: the database is used only while the node is a member of the cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stringd.plugin import StorageFailed
from stringd_cluster.cluster_node import ClusterNode
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.engine.notifications import Notifications
from stringd_cluster.hop.node_hop import NodeHop
from stringd_cluster.sharing.sharing_node import PeerAnswer


class MemberNode:
    """Implements `SharingNode`; without a lease, its id and its pool raise `StorageFailed`."""

    def __init__(self, node: ClusterNode, hop: Callable[[], NodeHop]) -> None:
        self._node = node
        self._hop = hop

    @property
    def id(self) -> str:
        """The id of the present lease."""
        if not self._node.id:
            raise StorageFailed("this node is not a member of the cluster now")
        return self._node.id

    @property
    def name(self) -> str:
        """The name that people have given it."""
        return self._node.name

    @property
    def pool(self) -> ConnectionPool:
        """Connections to the database."""
        if not self._node.id:
            raise StorageFailed("this node is not a member of the cluster now")
        return self._node.pool

    @property
    def notifications(self) -> Notifications:
        """What other nodes announce."""
        return self._node.notifications

    async def call(
        self, node_id: str, method: str, path: str, fields: Mapping[str, Any], user_id: str | None
    ) -> PeerAnswer:
        """Send a request to another node, as a user or as the operator; raise `OSError` if that fails."""
        return await self._hop().call(node_id, method, path, fields, user_id)
