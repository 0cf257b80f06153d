"""The tool `execute` for agents: a pipeline, run once a person or the policy allows it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from stringd.plugin import ErrorCode, Refusal, Reply, Runtime, Tool, ToolCall
from stringd.plugin.text import nearest
from stringd_approval.approval_service import approval_service
from stringd_approval.exec_request import ExecRequest
from stringd_approval.requesting.request_command import reply_to
from stringd_approval.wire.request_checks import check_request
from stringd_approval.wire.request_fields import read_fields
from stringd_approval.wire.wire_error import WireError

_DESCRIPTION = "Run a program without a shell, as root by default, once a person or the policy allows it."
_WORDS = {"type": "array", "items": {"type": "string"}}
_LONGEST_MILLISECONDS = 86_400_000
_PROPERTIES: Mapping[str, Any] = {
    "argv": _WORDS,
    "pipeline": {"type": "array", "items": _WORDS, "description": "stages, instead of argv"},
    "description": {"type": "string", "description": "why, for the person"},
    "privileged": {"type": "boolean", "default": True, "description": "as root"},
    "env": {"type": "object", "additionalProperties": {"type": "string"}},
    "host": {"type": "string"},
    "timeout": {"type": "integer", "minimum": 1, "description": "ms"},
    "forward_agent": {"type": "boolean"},
}
_SENT_AS = {"description": "reason"}
_NOT_SENT = {"argv", "timeout"}


def execute_tool(runtime: Runtime) -> Tool:
    """Return the tool of a daemon."""

    async def run(call: ToolCall) -> Reply:
        request, seconds = _request(call), _seconds(call.arguments)
        try:
            async with asyncio.timeout(seconds):
                reply = await approval_service(runtime).handle(
                    request, call.disconnected, request_id=call.request_id
                )
        except TimeoutError:
            raise Refusal(
                ErrorCode.TIMEOUT, f"Stopped after {call.arguments['timeout']} ms, undecided or unfinished."
            ) from None
        return reply_to(request, reply)

    return Tool(
        name="execute",
        description=_DESCRIPTION,
        parameters={"type": "object", "properties": _PROPERTIES, "additionalProperties": False},
        run=run,
    )


def _request(call: ToolCall) -> ExecRequest:
    try:
        fields = read_fields(json.dumps(dict(_sent(call))).encode())
        request = ExecRequest(
            id=str(uuid4()),
            pipeline=fields.pipeline or (),
            host=fields.host,
            session=fields.session,
            reason=fields.reason,
            env=fields.env,
            privileged=fields.privileged,
            forward_agent=fields.forward_agent,
            user_id=call.user.id,
        )
        check_request(request)
    except WireError as error:
        raise _misuse(error.message.removeprefix("invalid JSON: ")) from None
    except (TypeError, ValueError) as error:
        raise _misuse(f"the arguments can't be sent: {error}") from None
    return request


def _sent(call: ToolCall) -> Iterator[tuple[str, object]]:
    """Yield the fields of the request that stands for the arguments."""
    arguments = call.arguments
    for name in sorted(arguments.keys() - _PROPERTIES):
        near = nearest(name, _PROPERTIES)
        raise _misuse(f"unknown argument `{name}`", *([f"nearest: {near}"] if near else []))
    if ("argv" in arguments) == ("pipeline" in arguments):
        raise _misuse("give either `argv` or `pipeline`")
    yield "session", call.client
    if "argv" in arguments:
        yield "pipeline", [arguments["argv"]]
    for name, value in arguments.items():
        if name not in _NOT_SENT:
            yield _SENT_AS.get(name, name), value


def _seconds(arguments: Mapping[str, Any]) -> float | None:
    value = arguments.get("timeout")
    if "timeout" not in arguments:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= _LONGEST_MILLISECONDS:
        raise _misuse(f"`timeout` must be a whole number of milliseconds from 1 to {_LONGEST_MILLISECONDS}")
    return value / 1000


def _misuse(message: str, *context: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_PARAMS, message, *context)
