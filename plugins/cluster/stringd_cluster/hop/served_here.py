"""A request that is served at this node, unless the home leaves it before the request has run."""

from __future__ import annotations

from starlette.types import Message, Receive, Send

from stringd_cluster.hop.http_attempt import NotRun
from stringd_cluster.hop.incoming_request import MOST_KEPT
from stringd_cluster.hop.lost_answers import never_ran


class ServedHere:
    """What an application receives and sends: the body is kept, so that another node can be asked."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._received: list[Message] = []
        self._size = 0

    async def receive(self) -> Message:
        """Return the next message of the client."""
        message = await self._receive()
        if self._size <= MOST_KEPT and message["type"] == "http.request":
            self._size += len(message.get("body", b""))
            self._received.append(message)
        return message

    async def send(self, message: Message) -> None:
        """Pass a message on; raise `NotRun` instead of a refusal that another node need not repeat."""
        if message["type"] == "http.response.start" and self._may_be_elsewhere(message):
            raise NotRun
        await self._send(message)

    def _may_be_elsewhere(self, start: Message) -> bool:
        return self._size <= MOST_KEPT and never_ran(start["status"], start.get("headers", ()))

    async def received_again(self) -> Message:
        """Return what the client has sent from its first message on."""
        return self._received.pop(0) if self._received else await self._receive()
