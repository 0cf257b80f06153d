"""The values of parameters: text, numbers that know how they were written, truth values and tuples."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TypeAlias

from stringd.api.sessions import NamedValue

Value: TypeAlias = str | int | float | bool | tuple[str, ...]

NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
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
    """Return the number that a text is, or None; in texts and in JSON it stays as it was written."""
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


def as_json(value: Value | None) -> str:
    """Return a value in JSON: a number with all its digits, as it was written if JSON writes numbers so."""
    if isinstance(value, WrittenInt | WrittenFloat) and _JSON_NUMBER.fullmatch(value.written):
        return value.written
    return json.dumps(value, ensure_ascii=False)


def as_json_object(values: Mapping[str, Value]) -> str:
    """Return named values as an object in JSON."""
    return f"{{{', '.join(f'{json.dumps(name)}: {as_json(value)}' for name, value in values.items())}}}"
