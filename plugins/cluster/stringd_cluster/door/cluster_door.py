"""The door of a node: admits requests of clients, and serves them where the user's home is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from functools import partial

from starlette.types import ASGIApp, Receive, Scope, Send

from stringd.plugin import LISTENING, Runtime, StorageFailed
from stringd_cluster.access.admission import Admission
from stringd_cluster.access.ending_stream import HOME_LEFT, TOKEN_ENDED, End, EndingStream
from stringd_cluster.access.rate_limit import RateLimits
from stringd_cluster.access.request_head import is_for_running, with_operator, with_user_header
from stringd_cluster.access.token_table import TokenTable
from stringd_cluster.access.tokens import Principal
from stringd_cluster.cluster_node import ClusterNode
from stringd_cluster.door.browser_returns import BrowserReturns, is_return
from stringd_cluster.hop.hop_headers import Caller
from stringd_cluster.hop.node_hop import NodeHop
from stringd_cluster.hop.served_here import ServedHere

CLIENTS, NODES = "clients", "nodes"
"""The names of the sockets for clients, and for other nodes."""


class ClusterDoor:
    """An application around that of the daemon, which `wrap` is given."""

    def __init__(self, runtime: Runtime, node: ClusterNode) -> None:
        self._node = node
        self._tokens = TokenTable(node.pool, node.notifications)
        self._rates = RateLimits(node.pool, node.notifications, node.settings.requests_per_second)
        self._operator_token = runtime.questions.appoint_operator().encode()
        self._admission = Admission(self._tokens, runtime.questions.is_operator, lambda: runtime.port)
        self.hop = NodeHop(node, self.serve)
        """The way to the other nodes, and from them."""
        self._returns = BrowserReturns(node, self.hop)
        self._app: ASGIApp = _nothing

    def wrap(self, app: ASGIApp) -> ASGIApp:
        """Be in front of an application."""
        self._app = app
        return self._enter

    async def serve(self, scope: Scope, receive: Receive, send: Send, caller: Caller) -> None:
        """Serve an admitted request here: for a home that this node has, or for the node itself."""
        if caller.is_for_home:
            # Its owner decides by the caller, whatever became of the header on the way.
            scope["headers"] = with_user_header(scope["headers"], caller.user_id)
        await self._serve(scope, receive, send, caller.user_id, caller.principal)

    async def close(self) -> None:
        """End what still runs for the door."""
        await self.hop.close()
        await self._tokens.close()

    def _enter(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        is_from_node = scope["extensions"][LISTENING] == NODES
        return (self.hop.from_node if is_from_node else self._from_client)(scope, receive, send)

    async def _from_client(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal, user_id, receive = await self._admission.admit(scope, receive)
        if principal is None:
            app = self._returns.taken(self._app) if is_return(scope) else self._app
            await app(scope, receive, send)
            return
        if not user_id:
            await self._serve(scope, receive, send, user_id, principal)
            return
        is_here = self._node.owns(user_id)
        is_strangers = not is_here and await self._is_strangers(user_id)
        is_served = is_here or is_strangers
        elsewhere = None if is_served else await self._node.locate(user_id, running=is_for_running(scope))
        if elsewhere is None:
            here = ServedHere(receive, send, has_home=not is_strangers)
            await self._serve(scope, here.receive, here.send, user_id, principal)
            if here.has_run:
                return
            receive = here.received_again
        caller = Caller(entry=self._node.name, user_id=user_id, principal=principal)
        await self.hop.forward(scope, receive, send, elsewhere, caller)

    async def _is_strangers(self, user_id: str) -> bool:
        """Whether a request is for who is not registered: any node answers it, but for a registration."""
        try:
            return not await self._node.stores.users.knows(user_id)
        except StorageFailed:
            return False

    async def _serve(
        self, scope: Scope, receive: Receive, send: Send, user_id: str, principal: Principal
    ) -> None:
        if user_id not in self._rates.unlimited and principal.token_id and principal.user_id == user_id:
            await self._rates.admit(user_id)
        if principal.is_admin:
            scope["headers"] = with_operator(scope["headers"], self._operator_token)
        stream = EndingStream(scope, receive, send, partial(self._end, user_id, principal))
        try:
            await self._app(scope, stream.receive, stream.send)
        finally:
            stream.close()

    async def _end(self, user_id: str, principal: Principal) -> End:
        """Return why a stream ends, once it does."""
        home = self._node.homes.get(user_id)
        gone = home.gone if home else asyncio.Event()
        waits: list[asyncio.Future[object]] = [asyncio.ensure_future(gone.wait())]
        if principal.token_id:
            waits.append(asyncio.ensure_future(self._tokens.ended(principal)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for it in waits:
                it.cancel()
        return HOME_LEFT if gone.is_set() else TOKEN_ENDED


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    raise RuntimeError("the door is in front of nothing")
