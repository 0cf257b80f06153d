"""Look up the programs of a request, as its execution will."""

from __future__ import annotations

import os
import shutil
from pathlib import PurePosixPath

from stringd_approval.exec_request import ExecRequest
from stringd_approval.policy.subjects import ExecSubject, Stage

SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""The directories in which programs are looked for."""


def exec_subject(request: ExecRequest) -> ExecSubject:
    """Return what rules see of a request."""
    return ExecSubject(
        stages=tuple(_stage(word, arguments, request.cwd) for word, *arguments in request.pipeline),
        privileged=request.privileged,
        forward_agent=request.forward_agent,
        variables=frozenset(request.env),
        session=request.session,
        user_id=request.user_id,
        topic=request.topic,
    )


def _stage(word: str, arguments: list[str], directory: str) -> Stage:
    found = _found(word, directory)
    if found is None:
        return Stage(typed=word, arguments=tuple(arguments))
    name = PurePosixPath(found).name
    return Stage(
        typed=word,
        arguments=tuple(arguments),
        found=found,
        known_as=name if shutil.which(name, path=SEARCH_PATH) == found else None,
        real=os.path.realpath(found),
    )


def _found(word: str, directory: str) -> str | None:
    if "/" not in word:
        return shutil.which(word, path=SEARCH_PATH)
    path = word if word.startswith("/") else f"{directory.rstrip('/')}/{word}"
    return path if os.access(path, os.X_OK) else None
