"""`/request`: ask for a pipeline to be run, from within a topic."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

from msgspec import Struct, field

from stringd.plugin import Command, ErrorCode, Invocation, Refusal, Reply
from stringd.plugin.documents import working_directory
from stringd.plugin.processes import shell_reply
from stringd.plugin.text import HeadTailBuffer, nearest
from stringd_approval.approval_service import approval_service
from stringd_approval.asking.notation import NotationError, parse_pipeline, pipeline_text
from stringd_approval.exec_request import DEFAULT_DIRECTORY, ExecRequest, Pipeline
from stringd_approval.exec_result import ExecReply, PipelineResult, StageResult, Status
from stringd_approval.wire.request_checks import check_request
from stringd_approval.wire.wire_error import WireError

DENIED = "DENIED"
TIMEOUT = "APPROVAL_TIMEOUT"
USAGE = '/request [--reason "…"] [--user] [--cwd DIR] [--env K=V] -- argv | argv'
_END = "--"
_USER = "--user"
_VALUED = ("--reason", "--cwd", "--env")
_SIGNALLED = 128


class _Options(Struct, kw_only=True):
    reason: str = ""
    user: bool = False
    cwd: str | None = None
    env: dict[str, str] = field(default_factory=dict)


async def _request(invocation: Invocation) -> Reply:
    request = _parse(invocation)
    reply = await approval_service(invocation.runtime).handle(
        request, invocation.disconnected, request_id=invocation.request_id
    )
    return reply_to(request, reply)


def _parse(invocation: Invocation) -> ExecRequest:
    session = invocation.session
    options, pipeline = _split_options(invocation.line.arguments)
    cwd = DEFAULT_DIRECTORY if options.cwd is None else str(working_directory(session) / options.cwd)
    request = ExecRequest(
        id=str(uuid4()),
        pipeline=pipeline,
        session=str(session.name),
        reason=options.reason,
        env=options.env,
        privileged=not options.user,
        cwd=cwd,
        user_id=session.user.id,
        topic=str(session.name),
    )
    try:
        check_request(request)
    except WireError as error:
        raise _misuse(error.message) from None
    return request


def _split_options(arguments: str) -> tuple[_Options, Pipeline]:
    try:
        first, *others = parse_pipeline(arguments)
    except NotationError as error:
        raise _misuse(str(error)) from None
    options = _Options()
    words = iter(first)
    for word in words:
        if word == _END:
            break
        if not word.startswith("--"):
            words = iter((word, *words))
            break
        _take_option(options, word, words)
    return options, (tuple(words), *others)


def _take_option(options: _Options, text: str, following: Iterator[str]) -> None:
    if text == _USER:
        options.user = True
        return
    name, equals, value = text.partition("=")
    if name not in _VALUED:
        near = nearest(name, (*_VALUED, _USER))
        raise _misuse(f"Unknown option: {name}", *([f"nearest: {near}"] if near else []))
    if not equals:
        value = next(following, "")
    if not value:
        raise _misuse(f"{name} needs a value.")
    if name == "--env":
        _take_variable(options, value)
    elif name == "--cwd":
        options.cwd = value
    else:
        options.reason = value


def _take_variable(options: _Options, assignment: str) -> None:
    name, equals, value = assignment.partition("=")
    if not equals:
        raise _misuse("--env needs NAME=value.")
    options.env[name] = value


def _misuse(message: str, *context: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_PAYLOAD, message, *context, f"Usage: {USAGE}")


def reply_to(request: ExecRequest, reply: ExecReply) -> Reply:
    """Return the reply of a command to what became of its request; raise `Refusal` if nothing came of it."""
    if reply.status is Status.DENIED:
        raise Refusal(DENIED, reply.comment or "The request was denied.")
    if reply.status is Status.TIMEOUT:
        raise Refusal(TIMEOUT, reply.comment or "Nobody has decided in time, so nothing was run.")
    if reply.status is Status.ERROR or reply.result is None:
        output = _output(reply.result) if reply.result else ""
        raise Refusal(
            ErrorCode.EXEC_FAILED, reply.message or "The pipeline has no result.", *filter(None, [output])
        )
    shown = shell_reply(_state(reply.result.stages[-1]), request.cwd, _output(reply.result))
    return shown.below(_notes(reply))


def _notes(reply: ExecReply) -> Iterator[str]:
    if reply.edited is not None:
        yield f"[edited by the person who approved: {pipeline_text(reply.edited)}]"
    if reply.comment:
        yield f"[comment: {reply.comment}]"


def _state(stage: StageResult) -> int:
    return stage.exit_code if stage.signal is None else _SIGNALLED + stage.signal


def _output(result: PipelineResult) -> str:
    """Return what the pipeline printed, and then what its stages said on standard error."""
    buffer = HeadTailBuffer()
    for data in (result.stdout, *(stage.stderr for stage in result.stages)):
        if buffer.is_mid_line and data:
            buffer.add(b"\n")
        buffer.add(data)
    return buffer.take_text().removesuffix("\n")


REQUEST = Command(
    name="request",
    summary="Run programs, as root by default, if permitted.",
    usage=USAGE,
    group="Programs",
    run=_request,
)
