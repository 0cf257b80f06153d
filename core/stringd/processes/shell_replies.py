"""Common parts of replies about shell commands: the exit line and the placeholder for no output."""

from __future__ import annotations

from stringd.api.replies import Reply
from stringd.text.printable import printable

NO_OUTPUT = "(no output)"


def exit_line(state: int | str, directory: str) -> str:
    """Return the system line: an exit status or the state of a running program, and the directory."""
    # A directory name may hold line breaks, which would forge the lines below this one.
    return f"exit: {state} | cwd: {printable(directory)}"


def shell_reply(state: int | str, directory: str, output: str) -> Reply:
    """Return the reply for a command in a state; a status other than 0 is an error code."""
    code = f"EXIT_{state}" if isinstance(state, int) and state else None
    return Reply.output(exit_line(state, directory), output or NO_OUTPUT, code=code)
