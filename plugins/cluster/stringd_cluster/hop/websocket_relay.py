"""The relay of a WebSocket to the node that has the home: messages and closing codes pass both ways."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from starlette.types import Message, Receive, Scope, Send
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import CloseCode
from websockets.http11 import Response

from stringd_cluster.hop.hop_headers import Caller, answered
from stringd_cluster.hop.interruption import Interruption
from stringd_cluster.hop.lost_answers import never_ran
from stringd_cluster.hop.passage import Passage
from stringd_cluster.hop.peer_watch import PeerLost
from stringd_cluster.hop.peer_websockets import open_websocket, raw_headers
from stringd_cluster.membership.live_nodes import Node

log = logging.getLogger(__name__)

# They say that there was no code.
_UNSENDABLE = frozenset({CloseCode.NO_STATUS_RCVD, CloseCode.ABNORMAL_CLOSURE})
_LOST = "the node that served this is gone; connect again"


class WebSocketRelay:
    """Connects a client to the node that has its home; to this one, if it comes to have it."""

    def __init__(self, passage: Passage, scope: Scope, receive: Receive, send: Send, caller: Caller) -> None:
        self._passage = passage
        self._scope = scope
        self._receive = receive
        self._send = send
        self._caller = caller
        self._next_owner = passage.next_owner(caller.user_id)
        self._has_client_left = False

    async def run(self, target: Node | None) -> None:
        """Serve the client until it or the node ends the connection, or raise `RequestRefused`."""
        opening = await self._receive()
        while target and not await self._is_served_by(target):
            target = await self._next_owner.after(target)
        if target is None:
            receive = _replayed(opening, self._receive)
            await self._passage.serve(self._scope, receive, self._send, self._caller)

    async def _is_served_by(self, node: Node) -> bool:
        """Connect the client to a node; return whether no other one is to be asked."""
        interruption, peer = Interruption(), None
        try:
            with self._passage.watch.watching(node.id, interruption), interruption:
                peer = await open_websocket(self._passage.connections, node, self._scope, self._caller)
                await self._accept(peer)
                await self._relay(peer)
        except InvalidStatus as refused:
            return await self._is_refused(refused.response)
        except PeerLost as lost:
            if peer is None:
                return False
            log.warning("node %s was lost amid a WebSocket: %s", node.name, lost)
            await self._close(CloseCode.SERVICE_RESTART, _LOST)
        finally:
            if peer is not None:
                peer.transport.abort()
        return True

    async def _accept(self, peer: ClientConnection) -> None:
        assert peer.response is not None
        headers = answered(raw_headers(peer.response))
        await self._send(
            {
                "type": "websocket.accept",
                "subprotocol": peer.subprotocol,
                "headers": [it for it in headers if not it[0].startswith(b"sec-websocket-")],
            }
        )

    async def _is_refused(self, response: Response) -> bool:
        headers = raw_headers(response)
        if never_ran(response.status_code, headers):
            self._next_owner.expect_move()
            return False
        start = {"type": "websocket.http.response.start", "status": response.status_code}
        await self._send({**start, "headers": answered(headers)})
        await self._send({"type": "websocket.http.response.body", "body": bytes(response.body)})
        return True

    async def _relay(self, peer: ClientConnection) -> None:
        passing_on = asyncio.create_task(self._pass_on(peer))
        try:
            await self._pass_back(peer)
        finally:
            passing_on.cancel()
            await asyncio.gather(passing_on, return_exceptions=True)

    async def _pass_on(self, peer: ClientConnection) -> None:
        """Send the client's messages to the node, and how it has ended the connection."""
        while (message := await self._receive())["type"] == "websocket.receive":
            text = message.get("text")
            await peer.send(message["bytes"] if text is None else text)
        self._has_client_left = True
        code = message.get("code", CloseCode.NO_STATUS_RCVD)
        if code in _UNSENDABLE:
            peer.transport.abort()
        else:
            await peer.close(code, message.get("reason") or "")

    async def _pass_back(self, peer: ClientConnection) -> None:
        """Send the node's messages to the client, and how it has ended the connection."""
        try:
            while True:
                data = await peer.recv()
                kind = "text" if isinstance(data, str) else "bytes"
                await self._send({"type": "websocket.send", kind: data})
        except ConnectionClosed as closed:
            if self._has_client_left:
                return
            if closed.rcvd is None:
                raise PeerLost("the connection was closed") from closed
            code = closed.rcvd.code
            code = CloseCode.NORMAL_CLOSURE if code in _UNSENDABLE else code
            await self._close(code, closed.rcvd.reason)
        except OSError:
            # The server says so when the client has left.
            return

    async def _close(self, code: int, reason: str) -> None:
        with suppress(OSError):
            await self._send({"type": "websocket.close", "code": code, "reason": reason})


def _replayed(first: Message, receive: Receive) -> Receive:
    messages = [first]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again
