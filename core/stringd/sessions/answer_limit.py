"""How many characters an answer may have: the daemon's setting, or the topic's `{_limit}`."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from stringd.api.commands import Invocation
from stringd.api.replies import Reply
from stringd.api.runtime import Runtime
from stringd.api.sessions import Session
from stringd.api.settings import setting
from stringd.errors import ErrorCode, Refusal
from stringd.text.escaping import LONGEST_ESCAPE

LIMIT = "_limit"
LEAST, MOST = 1000, 10 * 1024 * 1024
Bound: TypeAlias = Callable[[Invocation, Reply, int], Awaitable[Reply]]
"""Returns the reply of a command within a number of characters."""
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """The settings of answers."""

    part_characters: int = setting(
        50_000,
        "The most characters of an answer; a longer one is shown in parts.",
        unit="characters",
        least=LEAST,
        most=MOST,
        option=True,
    )
    output_characters: int = setting(
        30_000,
        "The most characters of the output of a program; of a longer one, the middle is left out.",
        unit="characters",
        least=LEAST,
        most=MOST,
        option=True,
    )


def answer_limit(session: Session, runtime: Runtime, *, is_printed: bool = False) -> int:
    """Return how many characters an answer in a topic may have, or what a program has printed."""
    own = session.state.variables.get(LIMIT)
    general = runtime.output_characters if is_printed else runtime.part_characters
    return (own and _parse(own.value)) or general


def may_exceed(reply: Reply, most: int) -> bool:
    """Tell at once whether a reply needs a closer look, as it may have more than `most` characters."""
    if reply.edit is not None or reply.whole:
        return True
    size = len(reply.system) + len(reply.content or "")
    if reply.context:
        size += sum(map(len, reply.context))
    return size * LONGEST_ESCAPE > most


def check_limit(variables: Mapping[str, str]) -> None:
    """Refuse a value of `{_limit}` that is no possible limit, before it is set."""
    value = variables.get(LIMIT)
    if value is not None and _parse(value) is None:
        message = f"{{{LIMIT}}} must be a number of characters from {LEAST} to {MOST}, not {value!r}."
        raise Refusal(ErrorCode.INVALID_PARAMS, message)


def _parse(value: str) -> int | None:
    number = int(value) if _NUMBER.fullmatch(value) else 0
    return number if LEAST <= number <= MOST else None
