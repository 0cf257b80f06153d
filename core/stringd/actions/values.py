"""The values of parameters: text, numbers that know how they were written, truth values and tuples."""

from __future__ import annotations

import re
from typing import TypeAlias

from stringd.contracts.sessions import NamedValue

Value: TypeAlias = str | int | float | bool | tuple[str, ...]

NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
# Longer ones Python would refuse to read or to print.
_MOST_DIGITS = 1000


class WrittenInt(int):
    """A whole number that prints as it was written."""

    written: str

    def __str__(self) -> str:
        return self.written


class WrittenFloat(float):
    """A number that prints as it was written."""

    written: str

    def __str__(self) -> str:
        return self.written


def read_number(text: str) -> WrittenInt | WrittenFloat | None:
    """Return the number that a text is, or None; `37.50` stays `37.50` as text, and is 37.5 in JSON."""
    if not NUMBER.fullmatch(text) or len(text) > _MOST_DIGITS:
        return None
    number = WrittenInt(text) if _WHOLE.fullmatch(text) else WrittenFloat(text)
    if number in (float("inf"), float("-inf")):
        return None
    number.written = text
    return number


def shown(value: NamedValue) -> str:
    """Return what a name stands for as listings show it."""
    return value if isinstance(value, str) else f"({', '.join(value)})"


def as_text(value: Value) -> str:
    """Return a value as it stands in a text: a number as written, a tuple's parts with commas between."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, tuple) else str(value)
