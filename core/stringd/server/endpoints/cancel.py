"""`POST /cancel`; see docs/reference/http.md."""

from __future__ import annotations

from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import Response

from stringd.errors import InvalidBody
from stringd.server.json_responses import Json
from stringd.server.requests import parse_json, read_body, requesting_user, runtime_of

_EXPECTED = '{ "topic": "...", "request_id": "..." }'


class Cancel(HTTPEndpoint):
    """Cancels the running command of a topic, or that of a request."""

    async def post(self, request: Request) -> Response:
        """Cancel the command, and respond once it has ended."""
        runtime = runtime_of(request)
        user = requesting_user(request.scope, runtime)
        fields = parse_json(await read_body(request.receive), _EXPECTED)
        name = runtime.topic_name(fields.get("topic"))
        request_id = fields.get("request_id")
        if request_id is not None and not isinstance(request_id, str):
            raise InvalidBody("request_id must be a string")
        cancelled = await runtime.cancel(user.id, name, request_id)
        return Json({"topic": str(name), "cancelled": cancelled is not None, "cmd": cancelled})
