"""A shell that ended with its daemon: what the topic's data tells the next daemon of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from stringd.plugin import Session

_PLUGIN = "bash"


class LostShell(Struct, frozen=True, kw_only=True):
    """The shell of the topic `shell_of`, its directory, and the program that ran in it by the last reply.

    A fork of the topic takes over the data, but has no shell.
    """

    shell_of: str
    directory: str
    program: str | None = None
    hides_typing: bool = False
    """Whether the program had asked for something that must not be shown."""

    @property
    def has_directory(self) -> bool:
        """Whether a shell can start in its directory."""
        # Unlike those of Path, these functions return False for a directory that is out of reach.
        return os.path.isdir(self.directory) and os.access(self.directory, os.X_OK)  # noqa: PTH112


def read_lost(session: Session) -> LostShell | None:
    """Return the shell that the topic had when its daemon ended, if it had one."""
    stored: Any = session.data.get(_PLUGIN)
    if not isinstance(stored, Mapping) or stored.get("shell_of") != str(session.name):
        return None
    program = stored.get("program")
    return LostShell(
        shell_of=str(session.name),
        directory=str(stored.get("directory") or session.user.home),
        program=str(program) if program else None,
        hides_typing=bool(stored.get("hides_typing")),
    )


def store_shell(session: Session, shell: LostShell | None) -> None:
    """Have the next daemon know of a shell, or of none."""
    if shell:
        session.data[_PLUGIN] = asdict(shell)
    else:
        session.data.pop(_PLUGIN, None)
