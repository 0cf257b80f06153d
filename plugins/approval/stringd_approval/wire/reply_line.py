"""Encode replies as lines of JSON."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from stringd_approval.exec_result import ExecReply, PipelineResult, StageResult, Status

PONG = "pong"
# Base64 turns three bytes into four characters.
_PIECE = 3 * 64 * 1024
_WITHOUT_DETAILS = frozenset({Status.DENIED, Status.TIMEOUT})


def encode_reply(reply: ExecReply) -> bytes:
    """Return the line of a reply; flags that are false and texts that are missing are absent."""
    return b"".join(reply_pieces(reply))


def reply_pieces(reply: ExecReply) -> Iterator[bytes]:
    """Yield the line of a reply: everything before the output, and then that, encoded when it is wanted."""
    fields: dict[str, Any] = {"id": reply.id, "status": reply.status}
    if reply.comment:
        fields["comment"] = reply.comment
    if reply.status in _WITHOUT_DETAILS:
        yield _json(fields) + b"\n"
        return
    line = _json(fields | _details(reply))
    if reply.result is None:
        yield line + b"\n"
        return
    # The output may be large, and holds nothing that JSON escapes.
    yield line[:-1] + b',"stdout":"'
    output = memoryview(reply.result.stdout)
    for start in range(0, len(output), _PIECE):
        yield b64encode(output[start : start + _PIECE])
    yield b'"}\n'


def error_reply(message: str, request_id: str = "") -> ExecReply:
    """Return the reply to a request that failed."""
    return ExecReply(id=request_id, status=Status.ERROR, message=message)


def _json(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode()


def _details(reply: ExecReply) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if reply.message is not None:
        fields["message"] = reply.message
    if reply.edited is not None:
        fields["edited"] = reply.edited
    return fields if reply.result is None else fields | _result(reply.result)


def _result(result: PipelineResult) -> dict[str, Any]:
    fields: dict[str, Any] = {"stages": [_stage(it) for it in result.stages]}
    if result.stdout_truncated:
        fields["stdout_truncated"] = True
    return fields


def _stage(stage: StageResult) -> dict[str, Any]:
    fields: dict[str, Any] = {"exit_code": stage.exit_code, "stderr": b64encode(stage.stderr).decode("ascii")}
    if stage.stderr_truncated:
        fields["stderr_truncated"] = True
    if stage.signal is not None:
        fields["signal"] = stage.signal
    return fields
