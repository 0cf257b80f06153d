"""The text of a request for the question to the operator: different requests never read the same. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from msgspec import Struct

from stringd_approval.asking.notation import pipeline_text, quoted, word_text
from stringd_approval.exec_request import ExecRequest

LONGEST_SHOWN = 160
"""The most characters of a command in a title."""


class Display(Struct, frozen=True, kw_only=True):
    """A title of one line, the whole command, and everything else that determines what will happen."""

    title: str
    body: str
    details: Mapping[str, str]


class Located(Struct, frozen=True, kw_only=True):
    """Where a request leads on this machine.

    `programs` has, for each stage, the path of its program and the paths to which symbolic links lead from
    there; it is empty if there is no such program. `directory` is the working directory's real path.
    """

    programs: Sequence[Sequence[str]]
    directory: str


def display_request(request: ExecRequest, located: Located, *, exec_seconds: float) -> Display:
    """Return the display of a request. What the client says is in quotes; our own words are not."""
    command = pipeline_text(request.pipeline)
    who = "root" if request.privileged else "you"
    details = {
        "runs as": "root, through sudo" if request.privileged else "you, without privileges",
        "programs": _programs(request, located.programs),
        "directory": _directory(request.cwd, located.directory),
        "environment": _environment(request.env),
        "ssh agent": "forwarded: it can log in with your keys" if request.forward_agent else "not forwarded",
        "reason": _claimed(request.reason),
        "session": _claimed(request.session),
        "host": _claimed(request.host),
        "from": _origin(request),
        "request": quoted(request.id),
        "time limit": f"{exec_seconds:g} s",
    }
    return Display(title=f"Run as {who}: {shortened(command)}", body=command, details=details)


def shortened(text: str) -> str:
    """Return the beginning of a text, and how many characters are hidden."""
    hidden = len(text) - LONGEST_SHOWN
    return text if hidden <= 0 else f"{text[:LONGEST_SHOWN]} … {hidden:,} more characters"


def _directory(path: str, real: str) -> str:
    return word_text(path) if path == real else f"{word_text(path)} → {word_text(real)}"


def _programs(request: ExecRequest, resolved: Sequence[Sequence[str]]) -> str:
    return "\n".join(
        f"{number}. {word_text(stage[0])} → {' → '.join(map(word_text, paths)) or 'not found'}"
        for number, (stage, paths) in enumerate(zip(request.pipeline, resolved, strict=True), 1)
    )


def _environment(env: Mapping[str, str]) -> str:
    return (
        "\n".join(f"{name}={quoted(value)}" for name, value in sorted(env.items()))
        or "nothing of the client's"
    )


def _claimed(text: str) -> str:
    """Return what the client says; prose is not escaped like words of a command."""
    return json.dumps(text, ensure_ascii=False) if text else "not given"


def _origin(request: ExecRequest) -> str:
    known = {"topic": request.topic, "user": request.user_id}
    shown = [f"{name} {quoted(it)}" for name, it in known.items() if it is not None]
    return ", ".join(shown) or "a program, through the socket"
