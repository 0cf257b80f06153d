"""`stringd request`: ask for a pipeline to be run, and behave as its last stage did."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TextIO

from stringd.plugin import CliCommand, Fault, parse_seconds
from stringd.plugin.cli import (
    ApprovalReply,
    ApprovalStage,
    DaemonUnreachable,
    approval_socket,
    request_approval,
)
from stringd_approval.asking.notation import pipeline_text
from stringd_approval.exec_request import STAGE_MARK, split_stages
from stringd_approval.wire.refused_characters import escape_refused

NOT_RUN = 125
_SIGNALLED = 128


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--socket", metavar="PATH", type=Path, help="socket of the daemon")
    parser.add_argument("--reason", default="", help="why the command is needed, for the person who decides")
    parser.add_argument("--session", default="", help="name of the work that the command belongs to")
    parser.add_argument(
        "--no-privilege", action="store_true", help="run the command as yourself, not through sudo"
    )
    parser.add_argument(
        "--forward-agent", action="store_true", help="give the command the daemon's SSH agent"
    )
    parser.add_argument("--timeout", metavar="S", help="withdraw the request after these seconds")
    parser.add_argument(
        "argv",
        nargs=argparse.REMAINDER,
        metavar="-- ARGV",
        help=f"the command; '{STAGE_MARK}' as a word of its own separates the stages of a pipeline",
    )


def _run(arguments: argparse.Namespace) -> int:
    words = arguments.argv[1:] if arguments.argv[:1] == ["--"] else arguments.argv
    try:
        reply = request_approval(
            split_stages(words),
            path=arguments.socket or approval_socket(arguments.config.data_dir, arguments.config.port),
            timeout=_seconds(arguments.timeout),
            reason=arguments.reason,
            session=arguments.session,
            privileged=not arguments.no_privilege,
            forward_agent=arguments.forward_agent,
        )
    except TimeoutError:
        raise Fault(f"no reply within {arguments.timeout} s", exit_code=NOT_RUN) from None
    except DaemonUnreachable as error:
        raise Fault(str(error), exit_code=NOT_RUN) from None
    return _show(reply)


def _show(reply: ApprovalReply) -> int:
    for stage in reply.stages:
        _write(sys.stderr, stage.stderr)
    _write(sys.stdout, reply.stdout)
    if reply.edited is not None:
        _tell(f"edited by the person who approved: {pipeline_text(reply.edited)}")
    if reply.ok and reply.comment:
        _tell(f"comment: {reply.comment}")
    if reply.ok and reply.stages:
        return _exit_code(reply.stages[-1])
    _tell(": ".join(filter(None, (reply.status, reply.message, reply.comment))))
    return NOT_RUN


def _exit_code(stage: ApprovalStage) -> int:
    return stage.exit_code if stage.signal is None else _SIGNALLED + stage.signal


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    seconds = parse_seconds(text)
    if seconds is None:
        raise Fault(f"--timeout is not a number of seconds: {text}", exit_code=2)
    return seconds


def _write(stream: TextIO, data: bytes) -> None:
    """Write output as it is, but to a terminal without what could act on it."""
    if stream.isatty():
        data = escape_refused(data.decode(errors="replace")).encode()
    stream.buffer.write(data)
    stream.flush()


def _tell(text: str) -> None:
    print(f"stringd request: {escape_refused(text)}", file=sys.stderr)


REQUEST = CliCommand(
    name="request",
    summary="Ask for a command to be run that a person or the policy must allow.",
    configure=_configure,
    run=_run,
)
