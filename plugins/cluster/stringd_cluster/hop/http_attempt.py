"""One attempt to have a request answered by another node, whose answer is passed on as it arrives."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
from starlette.types import Send

from stringd_cluster.hop.hop_headers import HOP, answered, encode_caller, passed_on
from stringd_cluster.hop.incoming_request import IncomingRequest
from stringd_cluster.hop.lost_answers import is_fenced, may_be_repeated, never_ran
from stringd_cluster.hop.peer_connections import PeerConnections, peer_url, target_of
from stringd_cluster.hop.peer_watch import PeerLost
from stringd_cluster.membership.live_nodes import Node

FAILURES = (aiohttp.ClientError, OSError, TimeoutError)
"""What aiohttp raises if a peer can't be reached or breaks off."""


class NotRun(Exception):
    """The other node has not run the request, and does not have the home any more."""


class HttpAttempt:
    """Sends a request to a node once."""

    def __init__(self, connections: PeerConnections, node: Node, request: IncomingRequest) -> None:
        self._connections = connections
        self._node = node
        self._request = request
        self._sent: aiohttp.ClientRequest | None = None
        self.is_answered = False
        """Whether the client has got a part of the answer."""

    @property
    def may_have_run(self) -> bool:
        """Whether the other node may have begun with the request."""
        is_sent = self._sent is not None and self._sent.response is not None
        return is_sent and (self._request.kept is not None or self._request.has_begun)

    async def run(self, send: Send) -> None:
        """Pass the answer on; raise `PeerLost` or `NotRun`."""
        response = await self._send()
        try:
            self._check(response)
            headers = answered(response.raw_headers)
            await send({"type": "http.response.start", "status": response.status, "headers": headers})
            self.is_answered = True
            async for chunk, has_more in _chunks(response.content):
                await send({"type": "http.response.body", "body": chunk, "more_body": has_more})
        finally:
            # A connection whose answer has ended was released by then; others are of no use any more.
            response.close()

    async def _send(self) -> aiohttp.ClientResponse:
        request, is_kept = self._request, self._request.kept is not None
        headers = passed_on(request.scope["headers"])
        headers.append((HOP.decode(), encode_caller(request.caller)))
        try:
            return await self._connections.session(self._node).request(
                request.method,
                peer_url(self._node, target_of(request.scope)),
                headers=headers,
                data=(request.kept or None) if is_kept else request.chunks(),
                # So nothing of a body is lost if the home is elsewhere.
                expect100=not is_kept,
                allow_redirects=False,
                server_hostname=self._connections.host_of(self._node),
                middlewares=(self._once,),
            )
        except FAILURES as error:
            raise PeerLost(str(error) or type(error).__name__) from error

    async def _once(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Note that the request is sent; aiohttp repeats some, which might then run twice."""
        if self._sent is not None:
            raise PeerLost("the connection was closed")
        self._sent = request
        return await handler(request)

    def _check(self, response: aiohttp.ClientResponse) -> None:
        if self._request.can_be_sent_again and never_ran(response.status, response.raw_headers):
            raise NotRun
        if is_fenced(response.status, response.raw_headers) and may_be_repeated(self._request):
            raise PeerLost("the home has left the node")


async def _chunks(content: aiohttp.StreamReader) -> AsyncIterator[tuple[bytes, bool]]:
    """Yield what has arrived, and whether more follows."""
    has_more = True
    while has_more:
        try:
            chunk = await content.readany()
        except FAILURES as error:
            raise PeerLost(str(error) or type(error).__name__) from error
        has_more = not content.at_eof()
        yield chunk, has_more
