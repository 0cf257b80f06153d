"""Read keys, lines and hidden lines from a terminal, and restore its modes at the end."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self

from stringd.cli.approve.line_buffer import Entry, LineBuffer
from stringd.cli.approve.question_text import columns

if TYPE_CHECKING:
    from collections.abc import Callable

_LOCAL, _CHARACTERS = 3, 6
_LONGEST_LINE = 8192
_USUAL_COLUMNS = 80
_ENDED_BY_SIGNAL = 128
_STOPPED = (signal.SIGTERM, signal.SIGHUP)


class Feed(Protocol):
    """What may change while somebody types."""

    def fileno(self) -> int:
        """Return a descriptor that is readable when there are changes."""


class Keyboard:
    """Reads typed input; restores the terminal when a signal ends or suspends the program."""

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
        """Restore the terminal; discard type-ahead, which the shell would run otherwise."""
        self._discard_typed()
        self._apply(self._initial)
        for number in (*_STOPPED, signal.SIGTSTP):
            signal.signal(number, signal.SIG_DFL)

    @property
    def columns(self) -> int:
        """The present width of the terminal, whatever the environment says."""
        with suppress(termios.error):
            return termios.tcgetwinsize(self._descriptor)[1] or _USUAL_COLUMNS
        return _USUAL_COLUMNS

    def expect_key(self) -> None:
        """Switch to single keys without echo, and discard type-ahead."""
        self._set(line=False, echo=False)
        self._discard_typed()

    def expect_line(self, *, hidden: bool = False) -> None:
        """Switch to whole lines, and discard type-ahead."""
        self._set(line=True, echo=not hidden)
        self._discard_typed()

    def read_key(self, feed: Feed, is_over: Callable[[], bool]) -> str | None:
        """Return a key, or None when the feed has changes after which `is_over` is true."""
        typed = self._read(feed, is_over)
        return None if typed is None else typed[:1].decode(errors="replace")

    def read_line(self, feed: Feed, is_over: Callable[[], bool]) -> str | None:
        """Return a line without its line end, or None as `read_key` does."""
        try:
            typed = self._read(feed, is_over)
        finally:
            self.expect_key()
        return None if typed is None else typed.decode(errors="replace").rstrip("\n")

    def edit_line(self, prompt: str, text: str, feed: Feed, is_over: Callable[[], bool]) -> str | None:
        """Let a text be edited, and return it; None if that is cancelled, or as for `read_key`."""
        line, shown = LineBuffer(text), 0
        self.expect_key()
        while True:
            room = self.columns - len(prompt) - 1
            left, right = line.view(room)
            # Blanks erase what was shown before; the cursor is placed by writing up to it once more.
            blanks = " " * max(min(shown, room) - columns(left + right), 0)
            _show(f"\r{prompt}{left}{right}{blanks}\r{prompt}{left}")
            shown = columns(left + right)
            typed = self._read(feed, is_over)
            match None if typed is None else line.press(typed):
                case Entry.EDITED:
                    continue
                case Entry.ENTERED:
                    _show("\n")
                    return line.text
                case _:
                    _show("\n")
                    return None

    def _read(self, feed: Feed, is_over: Callable[[], bool]) -> bytes | None:
        """Return typed input; raise EOFError at its end, such as for Ctrl-D."""
        watched: list[Any] = [self._descriptor, feed]
        while True:
            ready, _, _ = select.select(watched, [], [])
            if feed in ready:
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

    def _apply(self, modes: list[Any], when: int = termios.TCSADRAIN) -> None:
        self._present = modes
        with suppress(termios.error):
            termios.tcsetattr(self._descriptor, when, modes)

    def _discard_typed(self) -> None:
        with suppress(termios.error):
            termios.tcflush(self._descriptor, termios.TCIFLUSH)

    def _suspend(self, *_: object) -> None:
        """Suspend the program as Ctrl-Z does; restore the terminal while it is suspended."""
        present = self._present
        self._apply(self._initial)
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._suspend)
        # What was typed meanwhile was intended for the shell.
        self._apply(present, termios.TCSAFLUSH)


def _show(text: str) -> None:
    sys.stdout.buffer.write(text.encode(errors="replace"))
    sys.stdout.buffer.flush()


def _end(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(_ENDED_BY_SIGNAL + number)
