"""`POST /exec`: one command, answered as an event stream (seed 1)."""

from __future__ import annotations

from functools import partial

from starlette.types import Receive, Scope, Send

from stringd.api.users import User
from stringd.errors import InvalidBody
from stringd.runtime.local import LocalRuntime
from stringd.server.event_stream import EventStream
from stringd.server.requests import disconnected, parse_json, read_body, requesting_user
from stringd.text.envelope import Request

EXEC = "/exec"


class Execute:
    """A bare ASGI application: it is the hot path."""

    def __init__(self, runtime: LocalRuntime) -> None:
        self._runtime = runtime

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer at once where the reply is there at once, else stream."""
        runtime = self._runtime
        user = requesting_user(scope, runtime)
        request = _request(user, await read_body(receive), runtime)
        stream = EventStream(request, scope, receive, send)
        try:
            outcome = await runtime.execute(
                user.id,
                request.topic,
                request.cmd,
                disconnected=partial(disconnected, receive),
                begun=partial(stream.begin, runtime.config.ping_seconds),
            )
        finally:
            stream.close()
        await stream.end(outcome)


def _request(user: User, body: bytes, runtime: LocalRuntime) -> Request:
    fields = parse_json(body, '{ "cmd": "..." }')
    cmd = fields.get("cmd")
    cmd = cmd.strip() if isinstance(cmd, str) else ""
    if not cmd:
        raise InvalidBody('Empty command — provide non-empty "cmd" field')
    topic = runtime.topic_name(fields.get("topic"))
    request_id = fields.get("request_id")
    if request_id is not None and not isinstance(request_id, str):
        raise InvalidBody("request_id must be a string")
    return Request(user_id=user.id, topic=topic, cmd=cmd, request_id=request_id)
