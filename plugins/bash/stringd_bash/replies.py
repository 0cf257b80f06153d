"""How a bash topic answers: the state in the system line, what was printed below it (seed 3)."""

from __future__ import annotations

from collections.abc import Iterable

from stringd.plugin import Reply
from stringd.plugin.text import printable
from stringd_bash.evaluation import Standing
from stringd_bash.shell import Ending

NO_OUTPUT = "(no output)"
_WORDS = {Standing.WAITING: "waiting", Standing.RUNNING: "running", Standing.FORSAKEN: "running"}


def reply_to(standing: Standing, ending: Ending | None, cwd: str, parts: Iterable[str]) -> Reply:
    """Return the reply that tells how a program stands and what it has printed."""
    output = "\n".join(part for part in parts if part) or NO_OUTPUT
    code = f"EXIT_{ending.status}" if ending and ending.status else None
    return Reply.output(state_line(standing, ending, cwd), output, code=code)


def told_elsewhere(standing: Standing, ending: Ending | None, cwd: str) -> Reply:
    """Return the state for someone who asks beside the request that the output and the status belong to."""
    return Reply.output(state_line(standing, ending, cwd), "[the request that runs it gets the output]")


def idle(status: int, cwd: str, what: str) -> Reply:
    """Return the state of a shell that is busy with nothing."""
    return Reply.output(_system(status, cwd), f"[{what}]")


def state_line(standing: Standing, ending: Ending | None, cwd: str) -> str:
    """Return the system line."""
    return _system(ending.status if ending else _WORDS[standing], cwd)


def _system(state: int | str, cwd: str) -> str:
    # A directory's name may hold line breaks, and what would look like the lines below this one.
    return f"exit: {state} | cwd: {printable(cwd)}"
