"""What becomes of a request: the result of its pipeline, or why there is none."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from stringd_approval.exec_request import Pipeline


class StageResult(Struct, frozen=True, kw_only=True):
    """How a stage ended; the exit code is -1 if a signal ended it."""

    exit_code: int
    signal: int | None = None
    stderr: bytes = b""
    stderr_truncated: bool = False


class PipelineResult(Struct, frozen=True, kw_only=True):
    """How the stages ended, and the standard output of the last one."""

    stages: tuple[StageResult, ...]
    stdout: bytes = b""
    stdout_truncated: bool = False


class ExecFailed(Exception):
    """The pipeline can't be run or did not end; the text says why, for the client.

    `captured` is what there was when its time was over.
    """

    def __init__(self, message: str, captured: PipelineResult | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.captured = captured


class Status(StrEnum):
    """The statuses of replies."""

    OK = "ok"
    DENIED = "denied"
    TIMEOUT = "timeout"
    ERROR = "error"


class ExecReply(Struct, frozen=True, kw_only=True):
    """The reply to a request: a result if it ran, a message if it failed.

    `comment` is what the person says who refused; `edited` is the pipeline that ran in place of the
    requested one.
    """

    id: str
    status: Status
    result: PipelineResult | None = None
    message: str | None = None
    comment: str | None = None
    edited: Pipeline | None = None
