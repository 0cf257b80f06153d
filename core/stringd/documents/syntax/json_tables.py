"""Tables of JSON objects that are alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from stringd.documents.syntax.one_line_json import is_url, short_line
from stringd.text.foreign_markdown import foreign_value

_MOST_COLUMNS = 12
_LONGEST_CELL = 120
_LONGEST_ROW = 300
# A URL is shown by a name of about this length.
_NAMED = 16
_FILLED = 0.5
_PIPE = re.compile(r"(\\*)\|")


class JsonTable(Struct, frozen=True, kw_only=True):
    """The columns of a table that have a value, those that have none, and the rows."""

    columns: tuple[str, ...]
    absent: tuple[str, ...]
    rows: Sequence[Mapping[str, Any]]

    def heading(self) -> tuple[str, str]:
        """Return the first two lines of the table."""
        return table_row(foreign_value(it) for it in self.columns), table_row("---" for _ in self.columns)


def table_row(cells: Iterable[str]) -> str:
    """Return a line of a table, in which no cell begins another one."""
    # A backslash before an escaped pipe would escape the backslash of the pipe.
    return f"| {' | '.join(_PIPE.sub(_escaped, it) for it in cells)} |"


def _escaped(pipe: re.Match[str]) -> str:
    return rf"{pipe[1]}{pipe[1]}\|"


def table_of(value: Sequence[Any]) -> JsonTable | None:
    """Return the table of at least two objects that have most of their members in common and are short."""
    if len(value) < 2 or not all(isinstance(it, Mapping) and it for it in value):
        return None
    names = tuple(dict.fromkeys(name for row in value for name in row))
    columns = tuple(name for name in names if any(row.get(name) is not None for row in value))
    if not 1 <= len(columns) <= _MOST_COLUMNS or not _are_alike(columns, value):
        return None
    if not all(_is_short(row, columns) for row in value):
        return None
    return JsonTable(columns=columns, absent=tuple(it for it in names if it not in columns), rows=value)


def _are_alike(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bool:
    filled = sum(name in row for row in rows for name in columns)
    return filled >= _FILLED * len(columns) * len(rows)


def _is_short(row: Mapping[str, Any], columns: Sequence[str]) -> bool:
    widths = [_width(name, row[name]) for name in columns if name in row]
    return max(widths, default=0) <= _LONGEST_CELL and sum(widths) <= _LONGEST_ROW


def _width(key: str, value: Any) -> int:
    if is_url(value):
        return _NAMED
    if isinstance(value, str) and len(value) > _LONGEST_CELL:
        return len(value)
    line = short_line(key, value)
    return _LONGEST_CELL + 1 if line is None else len(line)
