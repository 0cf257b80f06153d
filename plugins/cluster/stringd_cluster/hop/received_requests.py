"""The requests that other nodes pass on to this one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Protocol

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from stringd.plugin import PEER_CERTIFICATE
from stringd_cluster.access.request_head import is_for_running
from stringd_cluster.homes.home_errors import HomeElsewhere
from stringd_cluster.hop.certificates import peer_node_name
from stringd_cluster.hop.hop_headers import ELSEWHERE, HOP, BadHop, Caller, decode_caller, received, value_of
from stringd_cluster.hop.passage import Serve


class Take(Protocol):
    """Has this node serve a home."""

    async def __call__(self, user_id: str, *, running: bool = False) -> None:
        """Serve a home, or raise `HomeElsewhere`; `running` is as in `ClusterNode.locate`."""


class ReceivedRequests:
    """Serves them if their home is here, and else has the other node ask again."""

    def __init__(self, take: Take, serve: Serve) -> None:
        self._take = take
        self._serve = serve

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that came by the socket for nodes."""
        try:
            caller = _caller(scope)
            headers = received(scope["headers"])
        except BadHop:
            await Response(status_code=HTTPStatus.BAD_REQUEST)(scope, receive, send)
            return
        if caller.is_for_home:
            try:
                await self._take(caller.user_id, running=is_for_running(scope))
            except HomeElsewhere:
                await _ELSEWHERE(scope, receive, send)
                return
        async with _body_wanted(scope, receive) as receive_body:
            await self._serve({**scope, "headers": headers}, receive_body, send, caller)


_ELSEWHERE = Response(status_code=HTTPStatus.MISDIRECTED_REQUEST, headers={HOP.decode(): ELSEWHERE.decode()})


@asynccontextmanager
async def _body_wanted(scope: Scope, receive: Receive) -> AsyncIterator[Receive]:
    """Have the body sent, if the other node waits for that: an application may answer before it reads."""
    if value_of(scope["headers"], b"expect") is None:
        yield receive
        return
    first: asyncio.Task[Message] | None = asyncio.create_task(receive())  # type: ignore[arg-type]

    async def receive_body() -> Message:
        nonlocal first
        if first is None:
            return await receive()
        waiting, first = first, None
        return await waiting

    # The task begins to receive, and so the server sends 100.
    await asyncio.sleep(0)
    try:
        yield receive_body
    finally:
        if first is not None:
            first.cancel()


def _caller(scope: Scope) -> Caller:
    entry = peer_node_name(scope["extensions"].get(PEER_CERTIFICATE))
    named = value_of(scope["headers"], HOP)
    if not entry or named is None:
        raise BadHop
    return decode_caller(named, entry)
