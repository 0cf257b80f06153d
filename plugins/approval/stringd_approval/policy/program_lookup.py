"""Look up the programs of a request for rules, as its execution will."""

from __future__ import annotations

import os
from pathlib import PurePosixPath

from stringd_approval.exec_request import ExecRequest
from stringd_approval.executing.executables import find_for_root, resolve
from stringd_approval.policy.subjects import ExecSubject, Stage


def exec_subject(request: ExecRequest) -> ExecSubject:
    """Return what rules see of a request."""
    return ExecSubject(
        stages=tuple(_stage(word, arguments, request) for word, *arguments in request.pipeline),
        privileged=request.privileged,
        forward_agent=request.forward_agent,
        variables=frozenset(request.env),
        session=request.session,
        user_id=request.user_id,
        topic=request.topic,
    )


def _stage(word: str, arguments: list[str], request: ExecRequest) -> Stage:
    found = _found(word, request)
    if found is None:
        return Stage(typed=word, arguments=tuple(arguments))
    name = PurePosixPath(found).name
    return Stage(
        typed=word,
        arguments=tuple(arguments),
        found=found,
        known_as=name if _found(name, request) == found else None,
        real=os.path.realpath(found),
    )


def _found(word: str, request: ExecRequest) -> str | None:
    if not request.privileged:
        return resolve(word, directory=request.cwd).path
    path = find_for_root(word, request.cwd)
    return path if "/" in path and os.path.lexists(path) else None
