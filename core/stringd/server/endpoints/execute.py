"""`POST /exec`: one command, answered as an event stream; see docs/reference/http.md."""

from __future__ import annotations

from functools import partial

from starlette.types import Receive, Scope, Send

from stringd.errors import InvalidBody, RequestRefused
from stringd.runtime.local import LocalRuntime
from stringd.server.exec_response import EventStream, EventStreams
from stringd.server.requests import disconnected, parse_json, read_body, requesting_user_id
from stringd.text.command_line import trimmed
from stringd.text.envelope import Request, encode_events

EXEC = "/exec"


class Execute:
    """The endpoint as a bare ASGI application, since it is the hot path."""

    def __init__(self, runtime: LocalRuntime) -> None:
        self._runtime = runtime
        self._streams = EventStreams(runtime.questions, runtime.config.ping_seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in one response if the command ends soon, else stream."""
        user_id = requesting_user_id(scope)
        body = await read_body(receive)
        stream = EventStream(self._streams, scope, receive, send)
        try:
            request = stream.request = self._request(user_id, body)
            outcome = await self._runtime.execute(
                user_id,
                request.topic,
                request.cmd,
                disconnected=partial(disconnected, receive),
                request_id=request.request_id,
                begun=partial(setattr, stream, "has_begun", True),
            )
            events = encode_events(request, outcome)
        finally:
            stream.close()
        await stream.end(events)

    def _request(self, user_id: str, body: bytes) -> Request:
        try:
            return _parsed(user_id, body, self._runtime)
        except RequestRefused:
            # An unknown user is refused as such, whatever the body; `execute` looks the user up otherwise.
            self._runtime.user(user_id)
            raise


def _parsed(user_id: str, body: bytes, runtime: LocalRuntime) -> Request:
    fields = parse_json(body, '{ "cmd": "..." }')
    cmd = fields.get("cmd")
    is_text = isinstance(cmd, str)
    cmd = trimmed(cmd) if isinstance(cmd, str) else ""
    if not cmd and not (is_text and runtime.takes_empty_text(user_id, fields.get("topic"))):
        raise InvalidBody('Empty command — provide non-empty "cmd" field')
    topic = runtime.topic_name(fields.get("topic"))
    request_id = fields.get("request_id")
    if request_id is not None and not isinstance(request_id, str):
        raise InvalidBody("request_id must be a string")
    return Request(user_id=user_id, topic=topic, cmd=cmd, request_id=request_id)
