"""Say, once, that the shell of a topic has ended: with a text, between two, or with the daemon."""

from __future__ import annotations

import time
from collections.abc import Sequence

from stringd.plugin import ErrorCode, Refusal, Session
from stringd.plugin.text import visible_line
from stringd_bash.lost_shell import LostShell, read_lost, store_shell
from stringd_bash.running_shell import Shell


class ShellLosses:
    """Knows the last shell of a topic, also of a daemon before, and whether its end has been told.

    Where homes move between daemons, who uses a topic can't know that its shell has ended. What is sent
    then counts on the directory and the variables of that shell, so it is refused; likewise where it may
    be meant for a program that has ended, too.
    """

    def __init__(self, session: Session, *, homes_move: bool) -> None:
        self._session = session
        self._homes_move = homes_move
        self._shell: Shell | None = None
        self._is_told = False
        self._lost = read_lost(session)
        self._stored = self._lost
        self._refused_at: float | None = None

    @property
    def directory(self) -> str | None:
        """The directory in which the next shell goes on; None if it begins as any other."""
        return self._lost.directory if self._lost and self._lost.has_directory else None

    @property
    def hides_typing(self) -> bool:
        """Whether the next text may be meant for a program that would not have shown it."""
        return self._lost is not None and self._lost.hides_typing

    def begin(self, shell: Shell) -> None:
        """Note that the topic has a new shell."""
        self._shell, self._is_told, self._lost = shell, False, None
        self.note(shell.cwd)

    def note(self, directory: str, program: str | None = None, *, hides_typing: bool = False) -> None:
        """Store what would be lost now with the shell, if that has changed."""
        name = str(self._session.name)
        self._store(LostShell(shell_of=name, directory=directory, program=program, hides_typing=hides_typing))

    def mark_told(self) -> None:
        """Note that whoever uses the topic knows of the end."""
        self._is_told, self._lost = True, None
        self._store(None)

    def tell_end(self, home: str) -> str:
        """Return the note for the reply to a text that has ended the shell."""
        self.mark_told()
        return f"[the shell has ended; the next text starts a new one in {home}]"

    def untold(self, directory: str) -> Sequence[str]:
        """Return the note for the first reply of a new shell, unless the last one's end has been told."""
        if self._is_told or self._refused_at is not None:
            return ()
        if self._shell:
            return (f"[the shell before has ended with status {self._shell.status}; {_new(directory)}]",)
        return (f"[the shell before has ended with the daemon; {_new(directory)}]",) if self._lost else ()

    def require_told(self, directory: str, arrived: float) -> None:
        """Refuse what was sent before its sender could know that the shell has ended with its daemon."""
        lost = self._lost
        if lost is None or not (self._homes_move or lost.program or not lost.has_directory):
            return
        if self._refused_at is None:
            self._refused_at = time.monotonic()
        if arrived <= self._refused_at:
            raise _refusal(lost, directory)

    def _store(self, shell: LostShell | None) -> None:
        if shell != self._stored:
            store_shell(self._session, shell)
            self._stored = shell


def _new(directory: str) -> str:
    return f"this is a new one in {directory}, without what was set in the other"


def _refusal(lost: LostShell, directory: str) -> Refusal:
    """Say what is lost, and where the topic goes on."""
    program = (f"So has the program that ran in it: {lost.program}",) if lost.program else ()
    gone = "" if lost.has_directory else f" ({visible_line(lost.directory)} is not there any more)"
    where = f"{visible_line(directory)}{gone}"
    return Refusal(
        ErrorCode.TOPIC_RESTARTED,
        "The shell of this topic has ended with the daemon that it ran on; nothing was done.",
        *program,
        f"The next text starts a new shell in {where}, without variables, functions and jobs of the other.",
    )
