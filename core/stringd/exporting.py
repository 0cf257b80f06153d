"""What a topic's variables mean to the programs that it runs: their environment, and their time limit."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stringd.config import parse_seconds
from stringd.contracts.sessions import Session
from stringd.errors import Refusal

# What the shell, the loader and interpreters take orders from: who may set a variable (a template, say)
# may not thereby run code.
_ORDERS = re.compile(
    r"_.*|BASH.*|LD_.*|DYLD_.*|GIT_.*|PYTHON.*|PERL.*|RUBY.*|NODE_.*|PROMPT_COMMAND|PS[0-4]"
    r"|CDPATH|ENV|EDITOR|FPATH|GLOBIGNORE|HOME|IFS|PAGER|PATH|SHELL|SHELLOPTS|VISUAL"
)


def is_exported(name: str) -> bool:
    """Tell whether a variable of this name goes into the environment of what a topic runs."""
    return name.isascii() and name.isidentifier() and not _ORDERS.fullmatch(name)


def exported(session: Session) -> Mapping[str, str]:
    """Return the variables that go into the environment of what a topic runs."""
    return {name: value for name, value in session.state.variables.items() if is_exported(name)}


def time_limit(variables: Mapping[str, str], default: float) -> float:
    """Return the seconds that a topic's programs may take: its `{_timeout}`, or else the default."""
    value = variables.get("_timeout")
    if value is None:
        return default
    seconds = parse_seconds(value)
    if seconds is None:
        raise Refusal("INVALID_PARAMS", f"{{_timeout}} must be a number of seconds, not {value!r}.")
    return seconds
