"""Say, once, that the shell of a topic has ended: with a text, between two, or with the daemon."""

from __future__ import annotations

from collections.abc import Sequence

from stringd.plugin import Session
from stringd_bash.running_shell import Shell

_PLUGIN = "bash"


class ShellLosses:
    """Knows the last shell of a topic, also of a daemon before, and whether its end has been told."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shell: Shell | None = None
        self._is_told = False

    def begin(self, shell: Shell) -> None:
        """Note that the topic has a new shell."""
        self._shell, self._is_told = shell, False
        # A fork of the topic takes over the data, but has no shell.
        self._session.data[_PLUGIN] = {"shell_of": str(self._session.name)}

    def mark_told(self) -> None:
        """Note that whoever uses the topic knows of the end."""
        self._is_told = True

    def tell_end(self, home: str) -> str:
        """Return the note for the reply to a text that has ended the shell."""
        self.mark_told()
        return f"[the shell has ended; the next text starts a new one in {home}]"

    def untold(self, home: str) -> Sequence[str]:
        """Return the note for the first reply of a new shell, unless the last one's end has been told."""
        if self._is_told:
            return ()
        if self._shell:
            return (f"[the shell before has ended with status {self._shell.status}; {_new(home)}]",)
        if self._session.data.get(_PLUGIN) == {"shell_of": str(self._session.name)}:
            return (f"[the shell before has ended with the daemon; {_new(home)}]",)
        return ()


def _new(home: str) -> str:
    return f"this is a new one in {home}, without what was set in the other"
