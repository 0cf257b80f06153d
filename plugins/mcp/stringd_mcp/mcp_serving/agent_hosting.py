"""The server of the SDK with its transports, while the daemon runs."""

from __future__ import annotations

from contextlib import AsyncExitStack
from http import HTTPStatus
from types import TracebackType
from typing import Self

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from stringd.plugin import REQUEST_LIMIT, Runtime
from stringd_mcp.mcp_serving.agent_access import AgentAccess
from stringd_mcp.mcp_serving.agent_server import AgentServer
from stringd_mcp.mcp_serving.agent_socket import AgentSocket
from stringd_mcp.mcp_serving.http_exchange import Exchange, without_session
from stringd_mcp.mcp_serving.message_batch import MessageBatch, batch_of
from stringd_mcp.mcp_serving.raw_messages import parsed_message, refusal_of

_MOST_SESSIONS = 5_000
_REVISION = b"mcp-protocol-version"
_SESSION = b"mcp-session-id"
_WITH_BATCHES = b"2025-03-26"
_HANDSHAKE = {it.encode() for it in HANDSHAKE_PROTOCOL_VERSIONS}


class AgentHosting:
    """Hosts all agents of a daemon within its context."""

    def __init__(self, runtime: Runtime) -> None:
        self._agents = AgentServer(runtime)
        self._streaming = self._manager(json_response=False)
        self._plain = self._manager(json_response=True)
        self._stack = AsyncExitStack()
        self._sockets: set[anyio.CancelScope] = set()

    async def __aenter__(self) -> Self:
        for manager in (self._streaming, self._plain):
            await self._stack.enter_async_context(manager.run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._agents.subscriptions.close()
        for scope in self._sockets:
            scope.cancel()
        await self._stack.aclose()

    async def serve_http(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of an agent that speaks streamable HTTP.

        A stream costs as much as a small command, so a request that stands alone and asks for no progress is
        answered at once.
        """
        headers = dict(scope["headers"])
        revision = headers.get(_REVISION)
        if _SESSION not in headers:
            send = without_session(send)
        if scope["method"] != "POST":
            await self._streaming.handle_request(scope, receive, send)
            return
        exchange = Exchange(receive)
        if revision is None or revision in _HANDSHAKE:
            await self._serve_session(exchange, revision, scope, send)
            return
        if await exchange.wants_stream():
            await self._streaming.handle_request(scope, exchange.receive, send)
        else:
            await exchange.serve(self._plain.handle_request, scope, send)

    async def _serve_session(
        self, exchange: Exchange, revision: bytes | None, scope: Scope, send: Send
    ) -> None:
        body = await exchange.body()
        # Clients of later revisions name theirs.
        batch = batch_of(body) if revision in {None, _WITH_BATCHES} else None
        if batch is not None:
            app = self._streaming.handle_request
            await MessageBatch(app, scope, exchange.receive_rest, send).serve(batch)
        elif parsed_message(body) is None:
            refusal = Response(refusal_of(body), HTTPStatus.BAD_REQUEST, media_type="application/json")
            await refusal(scope, exchange.receive, send)
        else:
            await self._streaming.handle_request(scope, exchange.receive, send)

    async def serve_socket(self, access: AgentAccess, receive: Receive, send: Send) -> None:
        """Serve the connection of an agent that speaks over stdio."""
        with anyio.CancelScope() as scope:
            self._sockets.add(scope)
            try:
                await AgentSocket(self._agents, access, receive, send).serve()
            finally:
                self._sockets.discard(scope)

    def _manager(self, *, json_response: bool) -> StreamableHTTPSessionManager:
        return StreamableHTTPSessionManager(
            self._agents.server,
            json_response=json_response,
            max_request_body_size=REQUEST_LIMIT,
            max_sessions=_MOST_SESSIONS,
        )
