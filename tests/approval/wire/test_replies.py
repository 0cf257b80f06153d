"""Replies as lines."""

from __future__ import annotations

import json
import os
from base64 import b64decode
from typing import Any

import pytest

from stringd_approval.exec_result import ExecReply, PipelineResult, StageResult, Status
from stringd_approval.wire.reply_line import encode_reply


def encoded(status: Status, **more: Any) -> dict[str, Any]:
    line = encode_reply(ExecReply(id="a", status=status, **more))
    assert line.index(b"\n") == len(line) - 1
    fields: dict[str, Any] = json.loads(line)
    return fields


@pytest.mark.requirement("approval.reply.ok", "approval.reply.flags")
def test_a_result_is_encoded_in_base64() -> None:
    stages = (StageResult(exit_code=3, stderr=b"\xff\n"), StageResult(exit_code=0))
    reply = encoded(Status.OK, result=PipelineResult(stages=stages, stdout=b"hi\n"))
    assert reply == {
        "id": "a",
        "status": "ok",
        "stages": [{"exit_code": 3, "stderr": "/wo="}, {"exit_code": 0, "stderr": ""}],
        "stdout": "aGkK",
    }


@pytest.mark.requirement("approval.reply.ok")
@pytest.mark.parametrize("size", [0, 1, 3 * 64 * 1024, 3 * 64 * 1024 + 1, 1_000_000])
def test_a_large_output_is_one_text_in_base64(size: int) -> None:
    output = os.urandom(size)
    reply = encoded(Status.OK, result=PipelineResult(stages=(), stdout=output))
    assert b64decode(reply["stdout"], validate=True) == output


@pytest.mark.requirement("approval.reply.flags")
def test_flags_and_signals_are_there_when_they_say_something() -> None:
    stage = StageResult(exit_code=-1, signal=13, stderr_truncated=True)
    reply = encoded(Status.OK, result=PipelineResult(stages=(stage,), stdout_truncated=True))
    assert reply["stages"] == [{"exit_code": -1, "stderr": "", "stderr_truncated": True, "signal": 13}]
    assert reply["stdout_truncated"] is True


@pytest.mark.requirement("approval.reply.denied")
@pytest.mark.parametrize("status", [Status.DENIED, Status.TIMEOUT])
def test_nothing_is_told_of_what_did_not_run(status: Status) -> None:
    result = PipelineResult(stages=(StageResult(exit_code=0),))
    more = {"message": "m", "result": result, "edited": (("a",),)}
    assert encoded(status, **more) == {"id": "a", "status": status}
    assert encoded(status, comment="no", **more) == {"id": "a", "status": status, "comment": "no"}


@pytest.mark.requirement("approval.reply.edited")
def test_an_edited_pipeline_is_told() -> None:
    result = PipelineResult(stages=(StageResult(exit_code=0),))
    assert encoded(Status.OK, result=result, edited=(("ls", "-l"), ("wc",)))["edited"] == [
        ["ls", "-l"],
        ["wc"],
    ]


@pytest.mark.requirement("approval.reply.error")
def test_an_error_has_a_message_and_what_was_captured() -> None:
    assert encoded(Status.ERROR, message="no sudo") == {"id": "a", "status": "error", "message": "no sudo"}
    captured = PipelineResult(stages=(StageResult(exit_code=-1, signal=9),), stdout=b"half")
    assert encoded(Status.ERROR, message="timed out", result=captured)["stdout"] == "aGFsZg=="


def test_messages_may_hold_anything() -> None:
    assert encoded(Status.ERROR, message="\n\udcff\u2028\x00")["message"] == "\n\udcff\u2028\x00"
