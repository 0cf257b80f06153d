"""Decode the frames of clients: strict JSON, strictly typed fields; unknown fields are ignored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from msgspec import Struct

from stringd_runs.messages.client_messages import (
    ClientMessage,
    ContinueRun,
    GetAvailableModels,
    ListProviders,
    ListRuns,
    ListStrategies,
    PermissionDecision,
    Ping,
    PrepareRun,
    StartRun,
    SteerRun,
    StopRun,
    Subscribe,
    Unsubscribe,
    UserInput,
)
from stringd_runs.messages.daemon_replies import RunErrorCode
from stringd_runs.messages.field_checks import DECISION, NON_EMPTY, NUMBER, RUN_ID, TEXT, TRUTH, Check


class MessageRefused(Exception):
    """A frame is not a valid message; the id is that of the request, if it could be read."""

    def __init__(self, code: RunErrorCode, message: str, request_id: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id


class _Field(Struct, frozen=True):
    """A field of a message: its name on the wire, in the record, and what it must be."""

    name: str
    attribute: str
    check: Check
    is_required: bool = False


class _Form(Struct, frozen=True):
    """A type of messages: its record and its fields."""

    record: type[ClientMessage]
    fields: tuple[_Field, ...] = ()


_REQUEST_ID = _Field("requestId", "request_id", TEXT)
_RUN = _Field("runId", "run_id", RUN_ID, is_required=True)
_CWD = _Field("cwd", "cwd", NON_EMPTY)
_SCOPE = _Field("scope", "scope", TEXT)

_FORMS: Mapping[str, _Form] = {
    "ping": _Form(Ping),
    "prepare_run": _Form(
        PrepareRun,
        (
            _Field("strategyPath", "strategy_path", NON_EMPTY),
            _Field("runId", "run_id", RUN_ID),
            _Field("modelOverride", "model_override", NON_EMPTY),
            _CWD,
        ),
    ),
    "start_run": _Form(StartRun, (_RUN, _Field("input", "input", TEXT))),
    "continue_run": _Form(ContinueRun, (_RUN, _Field("input", "input", TEXT, is_required=True))),
    "stop_run": _Form(StopRun, (_RUN,)),
    "steer_run": _Form(SteerRun, (_RUN, _Field("text", "text", NON_EMPTY, is_required=True))),
    "user_input": _Form(
        UserInput,
        (
            _RUN,
            _Field("agentName", "agent_name", TEXT, is_required=True),
            _Field("text", "text", TEXT, is_required=True),
        ),
    ),
    "subscribe": _Form(Subscribe, (_RUN, _Field("afterSeq", "after_seq", NUMBER))),
    "unsubscribe": _Form(Unsubscribe, (_RUN,)),
    "list_strategies": _Form(ListStrategies),
    "list_runs": _Form(ListRuns, (_Field("cwd", "cwd", TEXT),)),
    "list_providers": _Form(ListProviders, (_SCOPE, _Field("live", "live", TRUTH))),
    "get_available_models": _Form(GetAvailableModels, (_Field("modelId", "model_id", TEXT), _SCOPE)),
    "permission_decision": _Form(
        PermissionDecision,
        (
            _RUN,
            _Field("permissionRequestId", "permission_request_id", TEXT, is_required=True),
            _Field("decision", "decision", DECISION, is_required=True),
        ),
    ),
}


def decode_message(frame: str | bytes) -> ClientMessage:
    """Return the message of a frame; raise `MessageRefused` if it is not valid."""
    try:
        value = orjson.loads(frame)
    except ValueError as error:
        raise MessageRefused(RunErrorCode.PARSE_ERROR, f"not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise MessageRefused(RunErrorCode.VALIDATION_ERROR, "message: expected an object")
    form = _FORMS.get(value["type"]) if isinstance(value.get("type"), str) else None
    if reasons := list(_wrong(value, form)):
        request_id = value.get("requestId")
        raise MessageRefused(
            RunErrorCode.VALIDATION_ERROR,
            "; ".join(reasons),
            request_id if isinstance(request_id, str) else None,
        )
    assert form is not None
    return _read(value, form)


def _wrong(value: Mapping[str, Any], form: _Form | None) -> Iterator[str]:
    """Say for each field that is wrong what is expected of it."""
    if form is None:
        yield f"type: expected one of {', '.join(_FORMS)}" if "type" in value else "type: required"
    for field in (_REQUEST_ID, *(form.fields if form else ())):
        if field.name in value:
            if not field.check.accepts(value[field.name]):
                yield f"{field.name}: expected {field.check.expected}"
        elif field.is_required:
            yield f"{field.name}: required"
    if form and form.record is PrepareRun and not value.keys() & {"strategyPath", "runId"}:
        yield "strategyPath: required, or runId"


def _read(value: Mapping[str, Any], form: _Form) -> ClientMessage:
    return form.record(
        **{
            field.attribute: field.check.convert(value[field.name])
            for field in (_REQUEST_ID, *form.fields)
            if field.name in value
        }
    )
