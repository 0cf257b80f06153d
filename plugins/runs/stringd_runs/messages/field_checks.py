"""What the fields of messages must be."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from stringd_runs.messages.client_messages import Decision

_RUN_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


class Check(Struct, frozen=True, kw_only=True):
    """Which values a field accepts, said to people, and how they become a record's."""

    expected: str
    accepts: Callable[[Any], bool]
    convert: Callable[[Any], Any] = lambda value: value


def is_run_id(value: object) -> bool:
    """Whether a value can be the id of a run: also the name of a topic and of a file."""
    return isinstance(value, str) and bool(_RUN_ID.fullmatch(value))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


TEXT = Check(expected="a string", accepts=_is_text)
NON_EMPTY = Check(expected="a string that is not empty", accepts=lambda it: _is_text(it) and it != "")
RUN_ID = Check(expected="1 to 100 letters, digits, - and _", accepts=is_run_id)
NUMBER = Check(expected="an integer from 0", accepts=_is_number)
TRUTH = Check(expected="true or false", accepts=lambda it: isinstance(it, bool))
DECISION = Check(expected=" or ".join(Decision), accepts=lambda it: it in tuple(Decision), convert=Decision)
