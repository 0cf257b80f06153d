"""The topic's variables in the environment of its shell: added, changed, and taken away again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from stringd.plugin import Refusal, Session
from stringd.plugin.processes import exported


class Exports:
    """What one shell was given; another one is given all of it anew."""

    def __init__(self) -> None:
        self._given: Mapping[str, str] = {}

    def bring(self, session: Session) -> str:
        """Return the shell's text that brings it from what it was given to what it should have now."""
        wanted = exported(session)
        if any("\0" in value for value in wanted.values()):
            raise Refusal("INVALID_PARAMS", "A variable that is exported can't hold a NUL character.")
        given, self._given = self._given, wanted
        over = (_taken_away(name, value) for name, value in given.items() if name not in wanted)
        new = (_added(name, value) for name, value in wanted.items() if given.get(name) != value)
        return "\n".join((*over, *new))


def _added(name: str, value: str) -> str:
    return f"export {name}={shlex.quote(value)}"


def _taken_away(name: str, value: str) -> str:
    """Leave alone what a program or somebody at the prompt has made of it since."""
    return f'if [[ "${{{name}-}}" == {shlex.quote(value)} ]]; then unset -v {name}; fi'
