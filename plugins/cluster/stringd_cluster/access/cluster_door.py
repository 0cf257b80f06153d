"""The door of a node: admits requests of clients, and serves them where the user's home is."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import NamedTuple, Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from stringd.plugin import Runtime
from stringd_cluster.access.admission import Admission
from stringd_cluster.access.ending_stream import HOME_LEFT, TOKEN_ENDED, End, EndingStream
from stringd_cluster.access.rate_limit import RateLimits
from stringd_cluster.access.request_head import with_operator
from stringd_cluster.access.scopes import Scope as TokenScope
from stringd_cluster.access.token_table import TokenTable
from stringd_cluster.access.tokens import Principal
from stringd_cluster.cluster_node import ClusterNode
from stringd_cluster.homes.home_errors import HomeElsewhere


class Caller(Protocol):
    """Who has sent a request, to this node or to the one that it came by."""

    @property
    def user_id(self) -> str:
        """The user that the request is for, `""` if it is not for one home."""

    @property
    def principal(self) -> Principal:
        """Whose token it came with."""


class _Client(NamedTuple):
    user_id: str
    principal: Principal


class ClusterDoor:
    """An application around that of the daemon, which `wrap` is given."""

    def __init__(self, runtime: Runtime, node: ClusterNode) -> None:
        self._node = node
        self._tokens = TokenTable(node.pool, node.notifications)
        self._rates = RateLimits(node.pool, node.notifications, node.settings.requests_per_second)
        self._operator_token = runtime.questions.appoint_operator().encode()
        self._admission = Admission(self._tokens, runtime.questions.is_operator, lambda: runtime.port)
        self._app: ASGIApp = _nothing

    def wrap(self, app: ASGIApp) -> ASGIApp:
        """Be in front of an application."""
        self._app = app
        return self._from_client

    async def serve(self, scope: Scope, receive: Receive, send: Send, caller: Caller) -> None:
        """Serve an admitted request here: for a home that this node has, or for the node itself."""
        user_id, principal = caller.user_id, caller.principal
        if principal.token_id and principal.user_id == user_id:
            await self._rates.admit(user_id)
        if principal.allows(TokenScope.ADMIN):
            scope["headers"] = with_operator(scope["headers"], self._operator_token)
        stream = EndingStream(scope, receive, send, partial(self._end, user_id, principal))
        try:
            await self._app(scope, stream.receive, stream.send)
        finally:
            stream.close()

    async def close(self) -> None:
        """End what still runs for the door."""
        await self._tokens.close()

    async def _from_client(self, scope: Scope, receive: Receive, send: Send) -> None:
        admitted = await self._admission.admit(scope, receive)
        if admitted.principal is None:
            await self._app(admitted.scope, admitted.receive, send)
            return
        if admitted.user_id and await self._node.locate(admitted.user_id):
            raise HomeElsewhere(admitted.user_id)
        caller = _Client(admitted.user_id, admitted.principal)
        await self.serve(admitted.scope, admitted.receive, send, caller)

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
