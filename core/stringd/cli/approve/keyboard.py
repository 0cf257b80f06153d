"""The terminal in which a person answers: keys, lines and hidden lines. Its modes are restored at the end."""

from __future__ import annotations

import os
import select
import signal
import termios
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    from stringd.cli.approve.question_feed import QuestionFeed

_LOCAL, _CHARACTERS = 3, 6
_LONGEST_LINE = 8192
_ENDED_BY_SIGNAL = 128
_STOPPED = (signal.SIGTERM, signal.SIGHUP)


class Keyboard:
    """Reads what is typed. Signals that end the program or suspend it leave the terminal as it was."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._initial = termios.tcgetattr(descriptor)
        self._present = self._initial

    def __enter__(self) -> Self:
        for number in _STOPPED:
            signal.signal(number, _end)
        signal.signal(signal.SIGTSTP, self._suspend)
        self.expect_key()
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the terminal; what was typed ahead is discarded, or the shell would run it."""
        self._discard_typed()
        self._apply(self._initial)
        for number in (*_STOPPED, signal.SIGTSTP):
            signal.signal(number, signal.SIG_DFL)

    def expect_key(self) -> None:
        """Set the terminal to keys that are not shown, and forget what was typed before."""
        self._set(line=False, echo=False)
        self._discard_typed()

    def expect_line(self, *, hidden: bool = False) -> None:
        """Set the terminal to a line, and forget what was typed before."""
        self._set(line=True, echo=not hidden)
        self._discard_typed()

    def read_key(self, beside: QuestionFeed, is_over: Callable[[], bool]) -> str | None:
        """Return a key; None when something has come up beside, after which it is over."""
        typed = self._read(beside, is_over)
        return None if typed is None else typed[:1].decode(errors="replace")

    def read_line(self, beside: QuestionFeed, is_over: Callable[[], bool]) -> str | None:
        """Return a line without its end, or None as `read_key` does."""
        try:
            typed = self._read(beside, is_over)
        finally:
            self.expect_key()
        return None if typed is None else typed.decode(errors="replace").rstrip("\n")

    def _read(self, beside: QuestionFeed, is_over: Callable[[], bool]) -> bytes | None:
        """Return what is typed; raise EOFError at its end, as by Ctrl-D."""
        watched: list[Any] = [self._descriptor, beside]
        while True:
            ready, _, _ = select.select(watched, [], [])
            if beside in ready:
                if is_over():
                    return None
            elif typed := os.read(self._descriptor, _LONGEST_LINE):
                return typed
            else:
                raise EOFError

    def _set(self, *, line: bool, echo: bool) -> None:
        modes: list[Any] = [*self._initial[:_CHARACTERS], list(self._initial[_CHARACTERS])]
        flags = modes[_LOCAL] & ~(termios.ICANON | termios.ECHO)
        modes[_LOCAL] = flags | (termios.ICANON if line else 0) | (termios.ECHO if echo else 0)
        if not line:
            modes[_CHARACTERS][termios.VMIN], modes[_CHARACTERS][termios.VTIME] = 1, 0
        if modes != self._present:
            self._apply(modes)

    def _apply(self, modes: list[Any]) -> None:
        self._present = modes
        with suppress(termios.error):
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, modes)

    def _discard_typed(self) -> None:
        with suppress(termios.error):
            termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def _suspend(self, *_: object) -> None:
        """Stop as Ctrl-Z does, with the terminal as it was meanwhile."""
        present = self._present
        self._apply(self._initial)
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._suspend)
        self._apply(present)


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(_ENDED_BY_SIGNAL + number)
