"""Decode requests as the socket does, at a fixed time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stringd_approval.exec_request import ExecRequest
from stringd_approval.wire.request_line import Ping, decode_request
from stringd_approval.wire.wire_error import WireError
from tests.approval.requests import line, stamp

NOW = 1_771_000_000.25


def decode(*stages: list[str], **more: Any) -> ExecRequest:
    """Decode the line of a request; `...` leaves a field out."""
    request = decode_line(line(*stages, **{"time": stamp(NOW), **more}))
    assert isinstance(request, ExecRequest)
    return request


def decode_line(data: bytes) -> ExecRequest | Ping:
    return decode_request(data.removesuffix(b"\n"), now=NOW)


def refusal(*stages: list[str], **more: Any) -> WireError:
    """Return the error of a request."""
    return refusal_of(line(*stages, **{"time": stamp(NOW), **more}))


def refusal_of(data: bytes | str) -> WireError:
    """Return the error of a line."""
    with pytest.raises(WireError) as raised:
        decode_line(data.encode() if isinstance(data, str) else data)
    return raised.value


def text(**members: Any) -> str:
    """Return members of a JSON object, to be put beside others."""
    return json.dumps(members)[1:-1]
