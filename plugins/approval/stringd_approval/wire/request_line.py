"""Decode the line of a request, with all checks of the protocol in their order."""

from __future__ import annotations

from uuid import uuid4

from msgspec import Struct
from msgspec.structs import replace

from stringd_approval.exec_request import ExecRequest
from stringd_approval.wire.request_checks import (
    check_environment_characters,
    check_forwarding,
    check_labels,
    check_pipeline,
    check_variables,
)
from stringd_approval.wire.request_fields import EXEC, RequestFields, read_fields
from stringd_approval.wire.request_time import check_recent, parse_time
from stringd_approval.wire.wire_error import WireError

_PING = "ping"
_STOP = "stop"


class Ping(Struct, frozen=True, kw_only=True):
    """A request for a sign of life."""

    id: str


def decode_request(line: bytes, *, now: float) -> ExecRequest | Ping:
    """Return the request of a line that arrived at a time, in seconds since 1970; or raise `WireError`."""
    fields = read_fields(line)
    request_id = fields.id or str(uuid4())
    try:
        if fields.action == EXEC:
            return _checked(fields, request_id, now)
        return _other_action(fields.action, request_id)
    except WireError as error:
        raise error.of(request_id) from None


def _checked(fields: RequestFields, request_id: str, now: float) -> ExecRequest:
    request = ExecRequest(
        id=request_id,
        pipeline=fields.pipeline or (),
        host=fields.host,
        session=fields.session,
        reason=fields.reason,
        env=fields.env,
        privileged=fields.privileged,
        forward_agent=fields.forward_agent,
        cwd=fields.cwd,
    )
    check_pipeline(request.pipeline)
    check_environment_characters(request.env)
    check_labels(request, fields.version)
    check_forwarding(request)
    made = parse_time(fields.time)
    check_recent(made, now=now)
    check_variables(request)
    return replace(request, made=made)


def _other_action(action: str, request_id: str) -> Ping:
    if action == _PING:
        return Ping(id=request_id)
    if action == _STOP:
        raise WireError("`action` stop is not for clients: use `stringd shutdown`, or POST /shutdown")
    raise WireError("`action` must be exec or ping")
