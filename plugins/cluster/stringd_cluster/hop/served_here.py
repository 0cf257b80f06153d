"""A request that is served at this node, unless the home leaves it before the request has run."""

from __future__ import annotations

from starlette.types import Message, Receive, Send

from stringd_cluster.hop.lost_answers import is_fenced, never_ran


class ServedHere:
    """What an application receives and sends: a short body is kept, so that another node can be asked."""

    __slots__ = ("_first", "_has_home", "_receive", "_send", "has_run")

    def __init__(self, receive: Receive, send: Send, *, has_home: bool = True) -> None:
        """Without a home, what is fenced has not run: the fence was there before it."""
        self._receive = receive
        self._send = send
        self._has_home = has_home
        self._first: Message | None = None
        self.has_run = True
        """False if it was refused, which was not passed on: another node need not refuse it."""

    async def receive(self) -> Message:
        """Return the next message of the client."""
        message = await self._receive()
        if self._first is None:
            self._first = message
        return message

    async def send(self, message: Message) -> None:
        """Pass a message on, unless it is of a refusal that another node need not repeat."""
        if message["type"] == "http.response.start" and self._may_be_elsewhere(message):
            self.has_run = False
        if self.has_run:
            await self._send(message)

    async def received_again(self) -> Message:
        """Return what the client has sent from its first message on."""
        first, self._first = self._first, None
        return first or await self._receive()

    def _may_be_elsewhere(self, start: Message) -> bool:
        if self._first is not None and self._first.get("more_body"):
            return False
        answer = start["status"], start.get("headers", ())
        return never_ran(*answer) or (not self._has_home and is_fenced(*answer))
