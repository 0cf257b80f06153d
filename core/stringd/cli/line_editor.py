"""Reads lines at a terminal, with editing, history and completion by readline, on standard error."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from stringd.client.user_directories import program_folder
from stringd.errors import Fault
from stringd.processes.standard_streams import is_terminal

try:
    import readline
except ImportError:  # pragma: no cover - some Pythons are built without it
    readline = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from stringd.cli.completion import CommandNames

HISTORY_LENGTH = 1000


class LineEditor:
    """Reads lines with history and with completion of command names."""

    def __init__(self, names: CommandNames) -> None:
        self._names = names
        self._candidates: list[str] = []
        self._history = _history_file()
        if readline:
            self._set_up()

    def read(self, prompt: str) -> str:
        """Return the next line; raise EOFError at Ctrl-D and KeyboardInterrupt at Ctrl-C."""
        if not is_terminal(sys.stderr) or sys.stdout is None:
            return _read_plainly(prompt)
        with _stdout_on_stderr():
            return input(prompt)

    def remember(self, line: str) -> None:
        """Add a line to the history."""
        if readline and is_terminal(sys.stderr):
            readline.add_history(line)

    def save(self) -> None:
        """Write the history file."""
        if readline and self._history:
            with suppress(OSError):
                readline.write_history_file(self._history)
                self._history.chmod(0o600)

    def _set_up(self) -> None:
        readline.set_auto_history(False)
        readline.set_history_length(HISTORY_LENGTH)
        readline.set_completer_delims(" \t")
        readline.set_completer(self._complete)
        libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
        if self._history:
            with suppress(OSError):
                readline.read_history_file(self._history)

    def _complete(self, text: str, state: int) -> str | None:
        if state == 0:
            at_start = readline.get_begidx() == 0
            self._candidates = list(self._names.matching(text)) if at_start else []
        return self._candidates[state] if state < len(self._candidates) else None


def _read_plainly(prompt: str) -> str:
    if sys.stderr is not None:
        print(prompt, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


@contextmanager
def _stdout_on_stderr() -> Iterator[None]:
    # readline writes to file descriptor 1, which is for output and may be a file.
    output = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(output, 1)
        os.close(output)


def _history_file() -> Path | None:
    """Return the history file, or None if the path is not a regular file."""
    from stringd.files.regular_files import require_file

    try:
        history = program_folder() / "history"
        require_file(history)
    except (Fault, OSError):
        return None
    return history
