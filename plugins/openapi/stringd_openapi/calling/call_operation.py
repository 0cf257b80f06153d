"""Carry out `CALL openapi ID`: make the request, send it, and show the answer."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from stringd.plugin import Budget, ErrorCode, Refusal, WorkStopped
from stringd.plugin.actions import ActionCall, Answer, FlagText, JsonText, Value
from stringd.plugin.http import FIRST_FAILURE, response_answer, send_prepared
from stringd.plugin.workers import READING
from stringd_openapi.call_requests.given_values import TypedText
from stringd_openapi.call_requests.request_bodies import FileContent, RequestBody
from stringd_openapi.call_requests.request_plan import RequestPlan, plan_request
from stringd_openapi.calling.installed_description import AppSettings, operation_of, settings_of
from stringd_openapi.calling.next_page import SentRequest, next_request
from stringd_openapi.calling.request_access import RequestAccess, setting_lines
from stringd_openapi.calling.shown_answer import failure, masked_answer, reason_of, shown_answer
from stringd_openapi.model.names import NEXT
from stringd_openapi.model.operations import Operation

PLUGIN = "openapi"
_BUDGET = Budget(seconds=2.0, memory=512 * 1024 * 1024)
_LARGEST_BODY = 10 * 1024 * 1024
_LARGEST_KEPT = 64 * 1024
_UNAUTHORIZED = 401
_MORE = f"[next] /act.{NEXT} shows the next page"


async def call_operation(call: ActionCall) -> Answer:
    """Return the answer of the operation that an action names, or of the next page of the last answer."""
    if call.action.target == NEXT:
        return await _continue(call)
    operation = await READING.run(operation_of, call.package, call.action.target)
    plan = await _plan(call, operation)
    settings = await _settings(call)
    server = settings.server_of(operation)
    sent = SentRequest(
        operation=operation.id,
        method=plan.method,
        url=f"{server}{plan.target if plan.target.startswith('/') else f'/{plan.target}'}",
        headers={"accept": _accepted(operation), **plan.headers},
        cookies=plan.cookies,
    )
    return await _exchanged(call, operation, settings, sent, plan.body)


async def _continue(call: ActionCall) -> Answer:
    kept = call.invocation.session.data.get(PLUGIN)
    sent = SentRequest.from_json(kept)
    if sent is None:
        message = "There is no next page: the last answer of this topic did not name one."
        raise Refusal(ErrorCode.NOT_FOUND, message, "Call an operation that lists something first.")
    operation = await READING.run(operation_of, call.package, sent.operation)
    body = None
    if sent.body is not None:
        body = RequestBody(content_type="application/json", pieces=(sent.body.encode(),))
    return await _exchanged(call, operation, await _settings(call), sent, body)


async def _settings(call: ActionCall) -> AppSettings:
    assert call.package is not None
    return await READING.run(settings_of, call.package)


async def _plan(call: ActionCall, operation: Operation) -> RequestPlan:
    """Have a worker process check the values and write the request."""
    session, runtime = call.invocation.session, call.invocation.runtime
    given = {name: plain_value(value) for name, value in call.values.items()}
    try:
        return await runtime.workers.run(
            plan_request,
            operation,
            given,
            secrets.token_hex(16),
            owner=f"{session.user.id}:{session.name.text}",
            budget=_BUDGET,
        )
    except WorkStopped as stopped:
        message = f"act.{call.action.id}: its values cannot be checked: {stopped}"
        raise Refusal(ErrorCode.INVALID_PARAMS, message) from None


def plain_value(value: Value) -> Any:
    """Return a value of an action as JSON, with its texts marked as typed."""
    if isinstance(value, JsonText):
        return _marked(value.value)
    if isinstance(value, bool):
        return value
    if isinstance(value, tuple):
        return [TypedText(it) for it in value]
    return TypedText(getattr(value, "written", None) or str(value))


def _marked(value: Any) -> Any:
    if isinstance(value, FlagText):
        return TypedText(str(value))
    if isinstance(value, dict):
        return {str(name): _marked(it) for name, it in value.items()}
    if isinstance(value, list | tuple):
        return [_marked(it) for it in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, float) else value


def _accepted(operation: Operation) -> str:
    concrete = [it for it in operation.accepts if it.isprintable() and it.isascii() and "/" in it][:8]
    return ", ".join((*concrete, "*/*;q=0.8")) if concrete else "application/json, */*;q=0.8"


async def _exchanged(
    call: ActionCall,
    operation: Operation,
    settings: AppSettings,
    sent: SentRequest,
    body: RequestBody | None,
) -> Answer:
    access = RequestAccess(call, operation, settings)
    content = await READING.run(_content, body, call.read) if body else None
    content_type = body.content_type if body else ""
    prepared = await access.prepared(sent, content, content_type)
    client = call.invocation.runtime.http
    request, response = await send_prepared(prepared, client, action=call.action.id)
    if response.status == _UNAUTHORIZED and access.can_renew:
        prepared = await access.prepared(sent, content, content_type, renew=True)
        request, response = await send_prepared(prepared, client, action=call.action.id)
    received = response_answer(access.shown_url(request.url), response)
    answer = await READING.run(masked_answer, received, response, access.environment)
    if response.status >= FIRST_FAILURE:
        reason = access.environment.mask(reason_of(response))
        raise failure(call, operation, answer, reason, setting_lines(operation))
    following = _following(operation, sent, body, received)
    if following is not None:
        following = replace(following, url=access.shown_url(following.url))
    return await shown_answer(call, answer, _remembered(call, following))


def _content(body: RequestBody, read: Callable[[str], bytes]) -> bytes:
    pieces: list[bytes] = []
    size = 0
    for it in body.pieces:
        pieces.append(read(it.path) if isinstance(it, FileContent) else it)
        size += len(pieces[-1])
        if size > _LARGEST_BODY:
            message = f"A body may have at most {_LARGEST_BODY // 1024**2} MiB, files included."
            raise Refusal(ErrorCode.INVALID_PARAMS, message)
    return b"".join(pieces)


def _following(
    operation: Operation, sent: SentRequest, body: RequestBody | None, answer: Answer
) -> SentRequest | None:
    """Return the request for the next page."""
    kept = replace(sent, body=_json_body(body), zone=answer.zone.value)
    takes = {it.name for it in operation.parameters if it.location == "query"}
    if operation.body and kept.body is not None:
        takes |= {it.name for it in operation.body.fields}
    return next_request(kept, frozenset(takes), answer.headers, answer.body)


def _remembered(call: ActionCall, following: SentRequest | None) -> tuple[str, ...]:
    """Keep the request for the next page in the topic; return the line that says so."""
    data = call.invocation.session.data
    if following is None or len(str(following)) > _LARGEST_KEPT:
        data.pop(PLUGIN, None)
        return ()
    data[PLUGIN] = following.as_json()
    return (_MORE,)


def _json_body(body: RequestBody | None) -> str | None:
    if body is None or "json" not in body.content_type or len(body.pieces) != 1:
        return None
    piece = body.pieces[0]
    return piece.decode() if isinstance(piece, bytes) else None
