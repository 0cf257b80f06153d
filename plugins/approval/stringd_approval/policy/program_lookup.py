"""Look up the programs of a request for rules and questions, as its execution will."""

from __future__ import annotations

from pathlib import PurePosixPath

from stringd_approval.exec_request import ExecRequest
from stringd_approval.executing.executables import ResolvedProgram, resolve
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


def look_up(program: str, request: ExecRequest) -> ResolvedProgram:
    """Return what runs for the name of a program in a request."""
    return resolve(program, directory=request.cwd, for_root=request.privileged)


def _stage(word: str, arguments: list[str], request: ExecRequest) -> Stage:
    found = look_up(word, request)
    if found.path is None:
        return Stage(typed=word, arguments=tuple(arguments))
    name = PurePosixPath(found.path).name
    return Stage(
        typed=word,
        arguments=tuple(arguments),
        found=found.path,
        known_as=name if name == word or look_up(name, request).path == found.path else None,
        real=found.target,
    )
