"""Short requests of a node to another one, for what is at that node and not in a home."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import aiohttp

from stringd_cluster.access.scopes import Scope
from stringd_cluster.access.tokens import Principal
from stringd_cluster.hop.hop_headers import HOP, Caller, encode_caller
from stringd_cluster.hop.http_attempt import FAILURES
from stringd_cluster.hop.interruption import Interruption
from stringd_cluster.hop.peer_connections import PeerConnections, peer_url
from stringd_cluster.hop.peer_watch import Membership, PeerLost, PeerWatch
from stringd_cluster.membership.live_nodes import Node
from stringd_cluster.sharing.sharing_node import PeerAnswer

_OPERATOR = "operator"
_SECONDS = aiohttp.ClientTimeout(total=10.0)


class PeerCalls:
    """Calls other nodes, as a user or as the operator."""

    def __init__(self, membership: Membership, connections: PeerConnections, watch: PeerWatch) -> None:
        self._membership = membership
        self._connections = connections
        self._watch = watch

    async def call(
        self, node_id: str, method: str, path: str, fields: Mapping[str, Any], user_id: str | None
    ) -> PeerAnswer:
        """Send a request to a node; raise `ConnectionError` if that fails."""
        node = self._membership.nodes.get(node_id)
        if node is None:
            raise ConnectionError(f"{node_id} is no member of the cluster any more")
        interruption = Interruption()
        try:
            with self._watch.watching(node_id, interruption), interruption:
                return await self._answer(node, method, path, fields, _caller(user_id))
        except (*FAILURES, PeerLost) as error:
            raise ConnectionError(str(error) or type(error).__name__) from error

    async def _answer(
        self, node: Node, method: str, path: str, fields: Mapping[str, Any], caller: Caller
    ) -> PeerAnswer:
        headers = {
            "Host": "localhost",
            "Content-Type": "application/json",
            HOP.decode(): encode_caller(caller),
        }
        if not caller.principal.allows(Scope.ADMIN):
            headers["X-User-Id"] = caller.user_id
        async with self._connections.session(node).request(
            method,
            peer_url(node, path),
            headers=headers,
            data=json.dumps(fields).encode(),
            allow_redirects=False,
            server_hostname=self._connections.host_of(node),
            timeout=_SECONDS,
        ) as response:
            body = await response.read()
            return PeerAnswer(response.status, _object(body), body)


def _caller(user_id: str | None) -> Caller:
    scope = Scope.ADMIN if user_id is None else Scope.EXEC
    user_id = _OPERATOR if user_id is None else user_id
    principal = Principal(token_id="", user_id=user_id, scopes=frozenset({scope}))
    return Caller(entry="", user_id=user_id, principal=principal, is_for_home=False)


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(body)
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}
