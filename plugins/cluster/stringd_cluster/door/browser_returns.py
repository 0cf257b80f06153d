"""The returns of browsers from the pages of a sign-in: the node that began it takes them."""

from __future__ import annotations

import asyncio
import logging
from http import HTTPStatus

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stringd_cluster.access.admission import peer_of
from stringd_cluster.access.failed_attempts import FailedAttempts
from stringd_cluster.access.scopes import endpoint_rule
from stringd_cluster.cluster_node import ClusterNode
from stringd_cluster.hop.node_hop import NodeHop
from stringd_cluster.hop.peer_connections import target_of
from stringd_cluster.membership.boot_clock import boot_time
from stringd_cluster.membership.live_nodes import Node
from stringd_cluster.sharing.sharing_node import PeerAnswer

log = logging.getLogger(__name__)

_ASK_SECONDS = 2.0
_NOBODY = ""


def is_return(scope: Scope) -> bool:
    """Whether this is the request of a browser that returns from a sign-in."""
    return scope["type"] == "http" and endpoint_rule(scope["method"], scope["path"]).is_return


class BrowserReturns:
    """Asks the other nodes about returns for which nobody waits at this one; an address may not try many."""

    def __init__(self, node: ClusterNode, hop: NodeHop) -> None:
        self._node = node
        self._hop = hop
        self._attempts = FailedAttempts(boot_time, "states")

    def taken(self, app: ASGIApp) -> ASGIApp:
        """Return what has a return taken by an application, or else by another node."""

        async def take(scope: Scope, receive: Receive, send: Send) -> None:
            here = _UnlessUnknown(send)
            await app(scope, receive, here.send)
            if not here.withheld:
                return
            attempt = self._attempts.begin(peer_of(scope))
            answer = await self._answered_elsewhere(target_of(scope))
            if answer is None:
                await here.release()
                return
            attempt.give_back()
            await PlainTextResponse(answer.body, answer.status)(scope, receive, send)

        return take

    async def _answered_elsewhere(self, target: str) -> PeerAnswer | None:
        """Return the answer of the node that waits for a return, or None."""
        others = (it for it in self._node.nodes.values() if it.id != self._node.id)
        answers = await asyncio.gather(*(self._asked(it, target) for it in others))
        return next((it for it in answers if it and it.status != HTTPStatus.NOT_FOUND), None)

    async def _asked(self, node: Node, target: str) -> PeerAnswer | None:
        try:
            async with asyncio.timeout(_ASK_SECONDS):
                return await self._hop.call(node.id, "GET", target, {}, _NOBODY)
        except OSError as failure:
            log.warning("node %s could not be asked about a sign-in: %s", node.name, failure)
            return None


class _UnlessUnknown:
    """Passes an answer on, and withholds one which says that nobody waits here."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.withheld: list[Message] = []

    async def send(self, message: Message) -> None:
        """Pass a message on, or withhold it."""
        if self.withheld or message.get("status") == HTTPStatus.NOT_FOUND:
            self.withheld.append(message)
        else:
            await self._send(message)

    async def release(self) -> None:
        """Pass on what was withheld."""
        for message in self.withheld:
            await self._send(message)
