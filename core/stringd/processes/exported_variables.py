"""A topic's variables in the environment of its programs, and the programs' time limit."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stringd.api.provenance import Provenance
from stringd.api.sessions import Session, State
from stringd.config import parse_seconds
from stringd.errors import ErrorCode, Refusal

TIME_LIMIT = "_timeout"
# Names that are never exported: with them, the shell and the dynamic loader decide what runs when a program
# starts, or where it is found.
_RESERVED = re.compile(
    r"_.*|BASH.*|LD_.*|DYLD_.*|PS[0-4]|E?UID|PPID"
    r"|CDPATH|ENV|EXECIGNORE|FPATH|GCONV_PATH|GLIBC_TUNABLES|GLOBIGNORE|HOME|IFS|PATH|POSIXLY_CORRECT"
    r"|PROMPT_COMMAND|SHELL|SHELLOPTS"
)


def is_reserved(name: str) -> bool:
    """Return whether a variable of this name is never exported, regardless of who set it."""
    return _RESERVED.fullmatch(name) is not None


def require_free(name: str, written: str) -> None:
    """Refuse to set a variable that is never exported; names that begin with `_` are settings."""
    if is_reserved(name) and not name.startswith("_"):
        message = f"{written} can't be set: shells and the system's loader take orders from {name}."
        raise Refusal(
            ErrorCode.INVALID_TARGET, message, "Another name may be set, and given to one command by it."
        )


def exported(session: Session) -> Mapping[str, str]:
    """Return the variables that a topic's programs have in their environment."""
    variables = session.state.variables.items()
    return {name: it.value for name, it in variables if _is_exported(name, it.provenance)}


def time_limit(state: State, default: float) -> float:
    """Return how many seconds a topic's programs may take: its `{_timeout}` or the default."""
    return read_limit(state.variable(TIME_LIMIT), default)


def read_limit(value: str | None, default: float) -> float:
    """Parse a value of `{_timeout}`; return the default for none, and refuse an invalid one."""
    if value is None:
        return default
    seconds = parse_seconds(value)
    if seconds is None:
        raise Refusal(
            ErrorCode.INVALID_PARAMS, f"{{{TIME_LIMIT}}} must be a number of seconds, not {value!r}."
        )
    return seconds


def _is_exported(name: str, provenance: Provenance) -> bool:
    is_wanted = provenance.by_hand or (provenance.is_own and provenance.exported)
    return is_wanted and name.isascii() and name.isidentifier() and not is_reserved(name)
