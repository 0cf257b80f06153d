"""`/questions`: list, stream and answer questions; see docs/reference/questions.md."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack
from typing import Any

from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import Response

from stringd.api.questions import OpenQuestion, Trust
from stringd.errors import InvalidBody, OperatorRequired
from stringd.questions.answer_values import checked_name
from stringd.runtime.local import LocalRuntime
from stringd.server.exec_response import HEADERS
from stringd.server.json_responses import Json
from stringd.server.requests import (
    parse_json,
    path_segments,
    read_body,
    requesting_user,
    runtime_of,
)
from stringd.text.escaping import visible_json
from stringd.text.sse import encode_sse

TOKEN_HEADER = "X-Operator-Token"  # noqa: S105 - the name of a header
_EXPECTED = '{ "answer": ... }'
_OPERATOR = "operator"


class QuestionsEndpoint(HTTPEndpoint):
    """Lists the open questions."""

    async def get(self, request: Request) -> Response:
        """List the open questions of a user, or all, and the state of the operator."""
        questions = runtime_of(request).questions
        listed = questions.listed(request.query_params.get("user_id"))
        return Json(
            {"questions": [it.as_json() for it in listed], "operator": questions.operator_state},
        )


class QuestionStream(HTTPEndpoint):
    """Streams questions as they are asked and closed; with the operator's token, attaches an operator."""

    async def get(self, request: Request) -> Response:
        """Stream the open questions, and then every change."""
        from sse_starlette import EventSourceResponse, ServerSentEvent

        runtime = runtime_of(request)
        return EventSourceResponse(
            _changes(runtime, is_operator=_is_operator(request, runtime)),
            headers=HEADERS,
            ping=runtime.config.ping_seconds,
            ping_message_factory=lambda: ServerSentEvent(comment="still open", sep="\n"),
            sep="\n",
        )


class QuestionEndpoint(HTTPEndpoint):
    """Accepts an answer to a question, or the report that it is shown to a person."""

    async def post(self, request: Request) -> Response:
        """Answer the question, or mark it as shown; a question to a person requires the operator's token."""
        runtime = runtime_of(request)
        match path_segments(request):
            case [_, str(question_id)]:
                return await _answer(request, runtime, question_id)
            case [_, str(question_id), "shown"]:
                _require_operator(request, runtime)
                await runtime.questions.send_shown(question_id)
                return Json({"id": question_id, "shown": True})
        raise InvalidBody("Expected /questions/:id or /questions/:id/shown")


async def _answer(request: Request, runtime: LocalRuntime, question_id: str) -> Response:
    by = _answering(request, runtime, question_id)
    fields = parse_json(await read_body(request.receive), _EXPECTED)
    comment = fields.get("comment")
    if "answer" not in fields or not isinstance(comment, str | None):
        raise InvalidBody(f"Expected {_EXPECTED}, and comment must be a string")
    through = checked_name(fields.get("through", "HTTP"))
    await runtime.questions.send_answer(question_id, by, {**fields, "through": through})
    return Json({"id": question_id, "answered": True})


def _answering(request: Request, runtime: LocalRuntime, question_id: str) -> str:
    """Return who answers; refuse anyone but the operator for a question to a person."""
    if _is_operator(request, runtime):
        return _OPERATOR
    user = requesting_user(request.scope, runtime)
    question = runtime.questions.get(question_id, user.id).question
    if question.trust is Trust.PERSON:
        _require_operator(request, runtime)
    return user.id


def _require_operator(request: Request, runtime: LocalRuntime) -> None:
    if not _is_operator(request, runtime):
        raise OperatorRequired(
            f"Only a person may answer this question, with the operator's token in {TOKEN_HEADER}."
        )


def _is_operator(request: Request, runtime: LocalRuntime) -> bool:
    """Return whether a request has the operator's token; refuse a wrong one."""
    tokens = request.headers.getlist(TOKEN_HEADER)
    if tokens and not (len(tokens) == 1 and runtime.operator.accepts(tokens[0].strip())):
        raise OperatorRequired("This is not the token of this daemon's operator.")
    return bool(tokens)


async def _changes(runtime: LocalRuntime, *, is_operator: bool) -> AsyncIterator[bytes]:
    questions = runtime.questions
    with ExitStack() as attached:
        changed = attached.enter_context(questions.watched())
        if is_operator:
            attached.enter_context(questions.attach_operator())
        yield _event("ready", {"operator": is_operator})
        known: Mapping[str, OpenQuestion] = {}
        while not runtime.is_stopping:
            changed.clear()
            opened = {it.id: it for it in questions.listed()}
            for gone in known.keys() - opened.keys():
                closed = questions.closed(gone)
                yield _event("closed", closed.as_json() if closed else {"id": gone})
            for it in opened.values():
                if known.get(it.id) is not it:
                    yield _event("question", it.as_json())
            known = opened
            await changed.wait()


def _event(name: str, data: Mapping[str, Any]) -> bytes:
    return encode_sse(name, visible_json(json.dumps(data)).encode())
