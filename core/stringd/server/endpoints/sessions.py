"""`/sessions`; see docs/reference/http.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import Response

from stringd.api.peers import HERE, Peers
from stringd.api.sessions import SessionSummary
from stringd.errors import InvalidBody
from stringd.server.json_responses import Json
from stringd.server.requests import parse_json, path_segments, read_body, runtime_of
from stringd.text.envelope import place_as_json
from stringd.users.fields import required_text

_EXPECTED = '{ "user_id": "...", "topic": "..." }'


class SessionsEndpoint(HTTPEndpoint):
    """Lists and creates sessions."""

    async def get(self, request: Request) -> Response:
        """List the sessions of one user, or of all."""
        runtime, user_id = runtime_of(request), request.query_params.get("user_id")
        sessions = [_as_json(session) for session in runtime.sessions(user_id)]
        if runtime.peers and user_id is None and HERE not in request.query_params:
            return Json({"sessions": await _of_all_nodes(runtime.peers, sessions)})
        return Json({"sessions": sessions})

    async def post(self, request: Request) -> Response:
        """Create a session, if it does not exist; nothing is executed."""
        runtime = runtime_of(request)
        fields = parse_json(await read_body(request.receive), _EXPECTED)
        user = runtime.user(required_text(fields.get("user_id"), "user_id"))
        name = runtime.topic_name(fields.get("topic"))
        created = runtime.registry.get(user.id, name) is None
        await runtime.registry.save(runtime.registry.touch(user, name))
        return Json({"user_id": user.id, "topic": str(name), "topic_type": name.type, "created": created})

    async def delete(self, request: Request) -> Response:
        """Refuse a path that names no session."""
        raise _expected_path()


class SessionEndpoint(HTTPEndpoint):
    """Closes sessions."""

    async def delete(self, request: Request) -> Response:
        """End a session and delete its state."""
        runtime = runtime_of(request)
        match path_segments(request):
            case [_, str(user_id), str(topic)] if user_id and topic:
                name = runtime.topic_name(topic)
            case _:
                raise _expected_path()
        deleted = await runtime.end_session(user_id, name)
        return Json({"user_id": user_id, "topic": str(name), "deleted": deleted})


async def _of_all_nodes(peers: Peers, own: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    answers = await peers.ask(f"/sessions?{HERE}=true")
    by_node = {it.name: own for it in peers.nodes() if it.is_here}
    by_node |= {name: answer.get("sessions", ()) for name, answer in answers.items()}
    return [{**it, "node": name} for name, sessions in sorted(by_node.items()) for it in sessions]


def _expected_path() -> InvalidBody:
    return InvalidBody("Expected /sessions/:user_id/:topic")


def _as_json(session: SessionSummary) -> dict[str, Any]:
    return {
        "user_id": session.user_id,
        "topic": session.topic,
        "topic_type": session.topic_type,
        "executing": session.executing,
        "queue_length": session.queue_length,
        "doc": place_as_json(session.document),
    }
