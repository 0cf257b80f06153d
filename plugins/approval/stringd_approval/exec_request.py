"""A request to run a pipeline, as the socket, a topic or an edit of a person gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

Pipeline: TypeAlias = tuple[tuple[str, ...], ...]
"""The stages of a pipeline: a program and its arguments each."""

STAGE_MARK = "|"
"""On command lines, a word of its own between two stages."""
DEFAULT_DIRECTORY = "/"


class ExecRequest(Struct, frozen=True, kw_only=True):
    """A pipeline, how it is to be run, and who asks for it and why.

    All fields have passed the checks of the protocol. `host` and `session` are what the client says of
    itself; `user_id` and `topic` are known of requests that are made in a topic. `made` is
    when the client says that it made the request, in seconds since 1970.
    """

    id: str
    pipeline: Pipeline
    host: str = ""
    session: str = ""
    reason: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    privileged: bool = True
    forward_agent: bool = False
    cwd: str = DEFAULT_DIRECTORY
    user_id: str | None = None
    topic: str | None = None
    made: float | None = None


def split_stages(words: Sequence[str]) -> list[list[str]]:
    """Return the stages of a pipeline whose stages are separated by `|`."""
    stages: list[list[str]] = [[]]
    for word in words:
        if word == STAGE_MARK:
            stages.append([])
        else:
            stages[-1].append(word)
    return stages
