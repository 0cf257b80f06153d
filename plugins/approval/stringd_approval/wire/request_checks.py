"""Check the values of a request, wherever it comes from: the socket, a topic, or an edit of a person."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stringd_approval.exec_request import ExecRequest, Pipeline
from stringd_approval.wire.refused_characters import find_refused
from stringd_approval.wire.wire_error import WireError

MOST_STAGES = 64
MOST_ARGUMENTS = 4096
_LONGEST_NAME = 256
_LONGEST_TEXT = 4096
_SHOWN = 80
_VARIABLES = re.compile(r"LANG|TZ|TERM|DEBIAN_FRONTEND|LC_[A-Z_]+")
_UNPRIVILEGED_VARIABLES = frozenset({"HOME"})


def check_request(request: ExecRequest) -> None:
    """Raise `WireError` for the first value that is not allowed."""
    check_pipeline(request.pipeline)
    check_environment_characters(request.env)
    check_labels(request)
    check_forwarding(request)
    check_variables(request)


def check_pipeline(pipeline: Pipeline) -> None:
    """Raise `WireError` unless each stage names a program, within limits and without refused characters."""
    if not pipeline:
        raise WireError("`pipeline` must not be empty")
    if len(pipeline) > MOST_STAGES:
        raise WireError(f"`pipeline` has {len(pipeline)} stages; at most {MOST_STAGES} are allowed")
    for number, stage in enumerate(pipeline, 1):
        _check_stage(number, stage)
    for number, stage in enumerate(pipeline, 1):
        # One search per stage: there may be 4096 words.
        if find_refused("".join(stage)):
            _refuse_word(number, stage)


def check_environment_characters(env: Mapping[str, str]) -> None:
    """Raise `WireError` for refused characters in names and values."""
    for name, value in env.items():
        _check_characters("env key", name)
        _check_characters(f"env value of {name[:_SHOWN]}", value)


def check_labels(request: ExecRequest, version: str = "") -> None:
    """Raise `WireError` for texts about the request that are too long or have refused characters."""
    _check_text("reason", request.reason, _LONGEST_TEXT)
    _check_text("session", request.session, _LONGEST_NAME)
    _check_text("host", request.host, _LONGEST_NAME)
    _check_text("version", version, _LONGEST_NAME)
    _check_text("id", request.id, _LONGEST_NAME)
    _check_text("cwd", request.cwd, _LONGEST_TEXT)
    if not request.cwd.startswith("/"):
        raise WireError("`cwd` must be an absolute path")


def check_forwarding(request: ExecRequest) -> None:
    """Raise `WireError` if a privileged command is to be given the agent's socket."""
    if request.forward_agent and request.privileged:
        raise WireError("forward_agent is only allowed when `privileged` is explicitly false")


def check_variables(request: ExecRequest) -> None:
    """Raise `WireError` for the first environment variable that requests can't set."""
    allowed = frozenset() if request.privileged else _UNPRIVILEGED_VARIABLES
    for name in request.env:
        if name not in allowed and not _VARIABLES.fullmatch(name):
            is_home = name in _UNPRIVILEGED_VARIABLES
            where = " for privileged commands" if is_home else ""
            raise WireError(f"the environment variable {name[:_SHOWN]!r} is not allowed{where}")


def _check_stage(number: int, stage: tuple[str, ...]) -> None:
    if not stage:
        raise WireError(f"stage {number} must not be empty")
    if not stage[0]:
        raise WireError(f"stage {number}: the program name must not be empty")
    if len(stage) > MOST_ARGUMENTS:
        raise WireError(f"stage {number} has {len(stage)} arguments; at most {MOST_ARGUMENTS} are allowed")


def _refuse_word(number: int, stage: tuple[str, ...]) -> None:
    """Raise `WireError` for the first word with a refused character."""
    for position, word in enumerate(stage):
        where = f"argument {position}" if position else "the program name"
        _check_characters(f"stage {number}: {where}", word)


def _check_text(name: str, text: str, most: int) -> None:
    if len(text) > most:
        raise WireError(f"`{name}` has {len(text)} characters; at most {most} are allowed")
    _check_characters(f"`{name}`", text)


def _check_characters(where: str, text: str) -> None:
    if refused := find_refused(text):
        raise WireError(f"{where} contains the forbidden character {refused}")
