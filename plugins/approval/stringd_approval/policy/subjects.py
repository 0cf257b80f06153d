"""What rules are about: requests to run a pipeline, and commands of topics."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

HOME_VARIABLE = "HOME"


class Kind(StrEnum):
    """The kinds of subjects."""

    EXEC = "exec"
    COMMAND = "command"


class Effect(StrEnum):
    """What a command of a topic does that a person may want to approve."""

    SHELL = "shell"
    """It runs programs: a text for a shell, `/exec`, an action that is a command line."""
    OUTSIDE = "outside"
    """It writes a file outside the user's home."""


class Stage(Struct, frozen=True, kw_only=True):
    """A stage of a pipeline: its program as requested, where it was found, and its arguments.

    `found` is the path that will be executed, None if there is no such program. `known_as` is the name by
    which the search path leads to exactly that path; None for programs elsewhere. `real` is where the
    symbolic links of the path lead.
    """

    typed: str
    arguments: tuple[str, ...] = ()
    found: str | None = None
    known_as: str | None = None
    real: str | None = None


class ExecSubject(Struct, frozen=True, kw_only=True):
    """A request to run a pipeline; `user_id` and `topic` are None if it came through the socket."""

    stages: tuple[Stage, ...]
    privileged: bool = True
    forward_agent: bool = False
    variables: frozenset[str] = frozenset()
    session: str = ""
    user_id: str | None = None
    topic: str | None = None

    @property
    def changes_programs(self) -> bool:
        """Whether the request changes what a program does or can reach, beyond its arguments."""
        return self.forward_agent or HOME_VARIABLE in self.variables


class CommandSubject(Struct, frozen=True, kw_only=True):
    """A command of a topic; `word` is the command's name, empty for a text that is no command."""

    user_id: str
    topic: str
    word: str = ""
    effects: frozenset[Effect] = frozenset()


Subject: TypeAlias = ExecSubject | CommandSubject
