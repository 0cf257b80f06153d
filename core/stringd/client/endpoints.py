"""Builds every request of the protocol, with the parser of its reply; does no I/O."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from stringd.client.records import Call, ChanFlowAnswer, JsonObject, Reply, Request
from stringd.client.responses import json_object, read_health, refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_JSON = {"Content-Type": "application/json"}


def path_segment(text: str) -> str:
    """Return `text` percent-encoded as one segment of a path."""
    return quote(text, safe="").replace(".", "%2E") if text in {".", ".."} else quote(text, safe="")


def check_user(user: str) -> str:
    """Return `user` if it fits into a header, else raise ValueError."""
    if not user.strip():
        raise ValueError("The user id is empty.")
    if user != user.strip() or not user.replace(" ", "x").isprintable():
        raise ValueError(f"Not a user id: {user!r}")
    return user


def health() -> Call[JsonObject]:
    """`GET /health`; only a daemon's answer is accepted."""
    return Call(request=Request(method="GET", path="/health"), read=read_health)


def status() -> Call[JsonObject]:
    """`GET /status`."""
    return Call(request=Request(method="GET", path="/status"), read=json_object)


def shutdown() -> Call[JsonObject]:
    """`POST /shutdown`."""
    return Call(request=Request(method="POST", path="/shutdown"), read=json_object)


def users() -> Call[list[JsonObject]]:
    """`GET /users`."""
    return Call(request=Request(method="GET", path="/users"), read=lambda reply: _field(reply, "users"))


def register(user: str, home: str, allowed_paths: Sequence[str] | None = None) -> Call[JsonObject]:
    """`POST /users`; without allowed paths, a registered user keeps those it has."""
    allowed = {} if allowed_paths is None else {"allowedPaths": list(allowed_paths)}
    return Call(request=_post_json("/users", {"id": user, "home": home, **allowed}), read=json_object)


def remove_user(user: str) -> Call[bool]:
    """`DELETE /users/:id`; the answer is whether the user existed."""
    return _delete(f"/users/{path_segment(user)}")


def sessions(user: str | None) -> Call[list[JsonObject]]:
    """`GET /sessions`, of one user or of all."""
    query = "" if user is None else f"?user_id={path_segment(user)}"
    request = Request(method="GET", path=f"/sessions{query}")
    return Call(request=request, read=lambda reply: _field(reply, "sessions"))


def open_session(user: str, topic: str) -> Call[bool]:
    """`POST /sessions`; the answer is whether the session is new."""
    request = _post_json("/sessions", {"user_id": user, "topic": topic})
    return Call(request=request, read=lambda reply: _field(reply, "created"))


def close_session(user: str, topic: str) -> Call[bool]:
    """`DELETE /sessions/:user_id/:topic`; the answer is whether the session existed."""
    return _delete(f"/sessions/{path_segment(user)}/{path_segment(topic)}")


def cancel(user: str, topic: str, request_id: str | None) -> Call[str | None]:
    """`POST /cancel`; the result is the cancelled command, or None if there was nothing to cancel."""
    fields = {"topic": topic} if request_id is None else {"topic": topic, "request_id": request_id}
    return Call(request=_post_json("/cancel", fields, _user(user)), read=lambda reply: _field(reply, "cmd"))


def secrets() -> Call[list[JsonObject]]:
    """`GET /secrets`: names, never values."""
    request = Request(method="GET", path="/secrets")
    return Call(request=request, read=lambda reply: _field(reply, "secrets"))


def set_secret(name: str, value: str, user: str | None, plugin: str | None) -> Call[bool]:
    """`POST /secrets`; the answer is whether the secret is new."""
    fields = {"name": name, "value": value, "user_id": user or "", "plugin": plugin or ""}
    return Call(request=_post_json("/secrets", fields), read=lambda reply: _field(reply, "created"))


def remove_secret(name: str, user: str | None, plugin: str | None) -> Call[bool]:
    """`DELETE /secrets/:name`; the answer is whether the secret existed."""
    query = f"user_id={path_segment(user or '')}&plugin={path_segment(plugin or '')}"
    return _delete(f"/secrets/{path_segment(name)}?{query}")


def chanflow(user: str, text: str) -> Call[ChanFlowAnswer]:
    """`POST /chanflow`."""
    headers = {**_user(user), "Content-Type": "text/plain; charset=utf-8"}
    request = Request(method="POST", path="/chanflow", headers=headers, body=text.encode())
    return Call(request=request, read=_read_chanflow)


def execution(user: str, topic: str, cmd: str, request_id: str | None) -> Request:
    """`POST /exec`; `ExecAnswer` parses the stream that answers it."""
    fields = {"cmd": cmd, "topic": topic}
    if request_id is not None:
        fields["request_id"] = request_id
    headers = {**_user(user), "Accept": "text/event-stream"}
    return _post_json("/exec", fields, headers)


def events(
    *,
    user: str | None,
    topic: str | None,
    kinds: Iterable[str],
    request_id: str | None,
    after: str | int | None,
) -> Request:
    """`GET /events`; `EventStream` parses the stream that answers it."""
    words = {
        "user_id": user,
        "topic": topic,
        "kinds": ",".join(kinds),
        "request_id": request_id,
        "after": after,
    }
    query = urlencode({name: value for name, value in words.items() if value not in {None, ""}})
    path = f"/events?{query}" if query else "/events"
    return Request(method="GET", path=path, headers={"Accept": "text/event-stream"})


def resumed(request: Request, position: str) -> Request:
    """Return a request for events that resumes where an earlier stream ended."""
    headers = {**request.headers, "Last-Event-ID": position} if position else request.headers
    return Request(method=request.method, path=request.path, headers=headers)


def questions(user: str | None) -> Call[JsonObject]:
    """`GET /questions`, of one user or of all, with the state of the operator."""
    query = "" if user is None else f"?user_id={path_segment(user)}"
    return Call(
        request=Request(method="GET", path=f"/questions{query}"),
        read=lambda reply: json_object(reply, "questions", "operator"),
    )


def question_stream(token: str) -> Request:
    """`GET /questions/stream` as the operator."""
    return Request(method="GET", path="/questions/stream", headers=_operator(token))


def answer_fields(
    answer: bool | str, comment: str | None, through: str, extras: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the body of an answer to a question."""
    fields = {**(extras or {}), "answer": answer, "through": through}
    return fields if comment is None else {**fields, "comment": comment}


def answer_question(
    user: str, question_id: str, fields: Mapping[str, Any], token: str | None
) -> Call[JsonObject]:
    """`POST /questions/:id`, as a user or, with the token, as the operator."""
    headers = _user(user) if token is None else _operator(token)
    request = _post_json(f"/questions/{path_segment(question_id)}", fields, headers)
    return Call(request=request, read=json_object)


def mark_question_shown(question_id: str, token: str) -> Call[JsonObject]:
    """`POST /questions/:id/shown`."""
    path = f"/questions/{path_segment(question_id)}/shown"
    return Call(request=Request(method="POST", path=path, headers=_operator(token)), read=json_object)


def plugin_request(
    method: str, path: str, fields: Mapping[str, Any] | None, headers: Mapping[str, str]
) -> Call[JsonObject]:
    """Return a request to an endpoint of a plugin, which answers with a JSON object."""
    body = {} if fields is None else {"body": json.dumps(fields).encode()}
    sent = {**(_JSON if fields is not None else {}), **headers}
    return Call(request=Request(method=method, path=path, headers=sent, **body), read=json_object)


def _operator(token: str) -> dict[str, str | bytes]:
    return {"X-Operator-Token": token.encode()}


def _user(user: str) -> dict[str, str | bytes]:
    return {"X-User-Id": user.encode()}


def _post_json(
    path: str, fields: Mapping[str, Any], headers: dict[str, str | bytes] | None = None
) -> Request:
    body = json.dumps(fields).encode()
    return Request(method="POST", path=path, headers={**_JSON, **(headers or {})}, body=body)


def _delete(path: str) -> Call[bool]:
    return Call(request=Request(method="DELETE", path=path), read=lambda reply: _field(reply, "deleted"))


def _field(reply: Reply, name: str) -> Any:
    return json_object(reply, name)[name]


def _read_chanflow(reply: Reply) -> ChanFlowAnswer:
    if reply.status != 200:
        raise refusal(reply)
    return ChanFlowAnswer(text=reply.body.decode(), failed=int(reply.headers.get("x-failed-blocks", "0")))
