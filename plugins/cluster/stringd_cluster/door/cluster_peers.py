"""The other nodes for the daemon and its plugins: what they have, and requests of the operator to them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from stringd.plugin import StorageFailed
from stringd.plugin.stores import PeerNode
from stringd_cluster.access.scopes import Scope
from stringd_cluster.access.tokens import Principal
from stringd_cluster.cluster_node import ClusterNode
from stringd_cluster.hop.hop_headers import Caller
from stringd_cluster.hop.node_hop import NodeHop
from stringd_cluster.membership.live_nodes import Node

log = logging.getLogger(__name__)

_OPERATOR = Principal(token_id="", user_id="operator", scopes=frozenset({Scope.ADMIN}))
_ASK_SECONDS = 2.0
_OK = 200
_MOST_RESTING = 10_000
_RESTING = """
SELECT user_id, topic FROM sessions WHERE NOT EXISTS (
    SELECT FROM homes JOIN nodes ON nodes.id = homes.owner
    WHERE homes.id = sessions.user_id AND nodes.ended IS NULL AND nodes.expires > clock_timestamp()
) ORDER BY user_id, topic LIMIT $1
"""


class ClusterPeers:
    """Implements `Peers`."""

    def __init__(self, node: ClusterNode, hop: Callable[[], NodeHop]) -> None:
        self._node = node
        self._hop = hop

    def nodes(self) -> Sequence[PeerNode]:
        """Return the live nodes, this one included, by name."""
        found = (
            PeerNode(
                name=it.name,
                is_here=it.name == self._node.name,
                is_draining=it.is_draining,
                labels=sorted(it.labels),
            )
            for it in self._node.nodes.values()
        )
        return sorted(found, key=lambda it: it.name)

    async def passage(self, user_id: str) -> Any:
        """Return what answers the operator where a user's home is; None if that is here."""
        target = await self._node.locate(user_id)
        caller = Caller(entry=self._node.name, user_id=user_id, principal=_OPERATOR)
        return target and partial(self._hop().forward, target=target, caller=caller)

    async def ask(self, path: str) -> Mapping[str, Mapping[str, Any]]:
        """Return what the other nodes answer a GET of the operator with, by their names."""
        others = self._others()
        answers = await asyncio.gather(*(self._asked(it, path) for it in others))
        return {it.name: answer for it, answer in zip(others, answers, strict=True) if answer is not None}

    async def resting_topics(self) -> Sequence[tuple[str, str]]:
        """Return the users and names of the topics that are stored, and that no node has now."""
        try:
            rows = await self._node.pool.fetch(_RESTING, _MOST_RESTING)
        except StorageFailed as failure:
            log.debug("the topics that rest can't be read: %s", failure)
            return ()
        return [(it["user_id"], it["topic"]) for it in rows]

    def _others(self) -> Sequence[Node]:
        return [it for it in self._node.nodes.values() if it.id != self._node.id]

    async def _asked(self, node: Node, path: str) -> Mapping[str, Any] | None:
        try:
            async with asyncio.timeout(_ASK_SECONDS):
                answer = await self._hop().call(node.id, "GET", path, {}, None)
        except OSError as failure:
            log.debug("node %s does not answer %s: %s", node.name, path, failure)
            return None
        return answer.fields if answer.status == _OK else None
