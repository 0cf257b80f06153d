"""Keep the topic's variables in the environment of its shell: add, change and remove them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from stringd.plugin import ErrorCode, Refusal, Session
from stringd.plugin.processes import exported


class Exports:
    """The variables that one shell has been given."""

    def __init__(self) -> None:
        self._current: Mapping[str, str] = {}

    def update(self, session: Session) -> str:
        """Return the shell commands that bring the environment up to date."""
        wanted = exported(session)
        if any("\0" in value for value in wanted.values()):
            raise Refusal(ErrorCode.INVALID_PARAMS, "A variable that is exported can't hold a NUL character.")
        current, self._current = self._current, wanted
        removed = (_unset(name, value) for name, value in current.items() if name not in wanted)
        changed = (_export(name, value) for name, value in wanted.items() if current.get(name) != value)
        return "\n".join((*removed, *changed))


def _export(name: str, value: str) -> str:
    return f"export {name}={shlex.quote(value)}"


def _unset(name: str, value: str) -> str:
    """Remove a variable unless a program or the user has changed it since."""
    return f'if [[ "${{{name}-}}" == {shlex.quote(value)} ]]; then unset -v {name}; fi'
