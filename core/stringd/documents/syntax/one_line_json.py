"""JSON values on one line: texts, numbers, dates, and short objects and lists."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from stringd.text.foreign_markdown import foreign_value

LONGEST_INLINE = 80
"""The most characters of an object or a list on one line."""
_URL = re.compile(r"https?://[^\s<>\"\x00-\x1f]+", re.IGNORECASE)
_SEPARATORS = re.compile(r"[,{}\[\]]|: |^\s|\s$|^$")
_TIME_KEY = re.compile(
    r"(?:^|[_-])(?:at|date|time|timestamp|created|updated|modified|expires)$|(?:At|Date|Time|Timestamp)$"
)
_MILLISECONDS = 10**11
# From 1973 to 2286, in seconds.
_EARLIEST, _LATEST = 10**8, 10**10
_MOST_PARTS = 8


def is_scalar(value: object) -> bool:
    """Whether a value is neither an object nor a list."""
    return not isinstance(value, Mapping | list | tuple)


def is_url(value: object) -> bool:
    """Whether a value is the URL of a web page."""
    return isinstance(value, str) and _URL.fullmatch(value) is not None


def has_lines(value: object) -> bool:
    """Whether a value is a text of several lines."""
    return isinstance(value, str) and "\n" in value.strip("\n")


def scalar_line(key: str, value: object) -> str:
    """Return a text, number, truth value or null on one line, and a time in seconds with its date."""
    if isinstance(value, str):
        return foreign_value(value) or '""'
    if isinstance(value, int | float) and not isinstance(value, bool) and _TIME_KEY.search(key):
        return f"{json.dumps(value)}{_date(value)}"
    return json.dumps(value)


def short_line(key: str, value: Any) -> str | None:
    """Return a value on one line if it is a scalar or short; None if it takes more."""
    if is_scalar(value):
        return None if has_lines(value) else scalar_line(key, value)
    if not value:
        return "{}" if isinstance(value, Mapping) else "[]"
    if len(value) > _MOST_PARTS:
        return None
    parts = list(_members(value) if isinstance(value, Mapping) else _elements(key, value))
    if None in parts:
        return None
    line = ", ".join(filter(None, parts))
    return None if len(line) > LONGEST_INLINE else f"{{{line}}}" if isinstance(value, Mapping) else line


def _members(value: Mapping[str, Any]) -> Iterator[str | None]:
    for name, member in value.items():
        part = _part(name, member)
        yield part and f"{foreign_value(name)}: {part}"


def _elements(key: str, value: list[Any]) -> Iterator[str | None]:
    return (_part(key, it) for it in value)


def _part(key: str, value: Any) -> str | None:
    """Return a scalar as one of several on a line, quoted if it reads like more than one."""
    if not is_scalar(value) or is_url(value) or has_lines(value):
        return None
    line = scalar_line(key, value)
    is_unclear = isinstance(value, str) and value and _SEPARATORS.search(value)
    return foreign_value(json.dumps(value, ensure_ascii=False)) if is_unclear else line


def _date(value: float) -> str:
    seconds = value / 1000 if abs(value) >= _MILLISECONDS else value
    if not _EARLIEST <= seconds < _LATEST:
        return ""
    return f" ({datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC)"
