"""A WebSocket whose messages are those of MCP over stdio, for `stringd mcp`."""

from __future__ import annotations

from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import SessionMessage
from starlette.types import Message, Receive, Send

from stringd_mcp.mcp_serving.agent_access import AgentAccess
from stringd_mcp.mcp_serving.agent_server import AgentServer
from stringd_mcp.mcp_serving.raw_messages import parsed_message, refusal_of


class _ClientLeft(Exception):
    """Nobody reads what is sent."""


class AgentSocket:
    """Serves one connection."""

    def __init__(self, agents: AgentServer, access: AgentAccess, receive: Receive, send: Send) -> None:
        self._agents = agents
        self._access = access
        self._receive = receive
        self._send = send

    async def serve(self) -> None:
        """Accept the connection, and serve it until the client leaves."""
        await self._receive()
        await self._send({"type": "websocket.accept"})
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._read, to_server)
                tasks.start_soon(self._write, from_server)
                # The streams of the SDK have a context as well, which these need not have.
                read: Any = from_client
                write: Any = to_client
                await serve_dual_era_loop(self._agents.server, read, write, lifespan_state=self._access)
                tasks.cancel_scope.cancel()
        except* _ClientLeft:
            # A killed client leaves while it is answered.
            pass
        finally:
            self._agents.subscriptions.forget(self._access)

    async def _read(self, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        async with to_server:
            while (message := await self._receive())["type"] == "websocket.receive":
                text = _text(message)
                parsed = parsed_message(text)
                if parsed is None:
                    await self._say(refusal_of(text))
                else:
                    await to_server.send(SessionMessage(parsed))

    async def _write(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for it in from_server:
                text = it.message.model_dump_json(by_alias=True, exclude_unset=True)
                await self._say(text)

    async def _say(self, text: str) -> None:
        try:
            await self._send({"type": "websocket.send", "text": text})
        except OSError as error:
            raise _ClientLeft from error


def _text(message: Message) -> str:
    text = message.get("text")
    return str(text) if text is not None else str(message["bytes"], errors="replace")
