"""Operations on a row: a list with a text for each column, empty for the right half of a wide character."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

Row: TypeAlias = list[str]

_BLANK = " "
_WITHOUT_WIDTH = {"Mn", "Me", "Cf", "Zl", "Zp"}
_SOFT_HYPHEN = "\u00ad"
# The limit of Unicode's Stream-Safe Text Format.
_MOST_MARKS = 30


@lru_cache(maxsize=4096)
def width(character: str) -> int:
    """Return how many columns a character occupies."""
    if unicodedata.category(character) in _WITHOUT_WIDTH or "\u1160" <= character <= "\u11ff":
        return int(character == _SOFT_HYPHEN)
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def put(row: Row, column: int, cells: Sequence[str]) -> None:
    """Replace cells from a column on."""
    _extend(row, column)
    _split_wide(row, column)
    _split_wide(row, column + len(cells))
    row[column : column + len(cells)] = cells


def insert(row: Row, column: int, cells: Sequence[str]) -> None:
    """Insert cells at a column."""
    _extend(row, column)
    _split_wide(row, column)
    row[column:column] = cells


def delete(row: Row, column: int, count: int) -> None:
    """Delete cells; those to the right move left."""
    _split_wide(row, column)
    _split_wide(row, column + count)
    del row[column : column + count]


def erase(row: Row, start: int, end: int) -> None:
    """Blank the cells from `start` to `end`."""
    if end < len(row):
        put(row, start, [_BLANK] * (end - start))
    else:
        truncate(row, start)


def truncate(row: Row, columns: int) -> None:
    """Cut a row off after some columns."""
    _split_wide(row, columns)
    del row[columns:]


def combine(row: Row, column: int, character: str) -> None:
    """Add a combining character to the cell before a column, up to a limit."""
    at = max(column - 1, 0)
    _extend(row, at + 1)
    at -= not row[at]
    if len(row[at]) <= _MOST_MARKS:
        row[at] += character


def text_of(row: Row) -> str:
    """Return the text of a row."""
    return "".join(row).rstrip(_BLANK)


def _extend(row: Row, column: int) -> None:
    if len(row) < column:
        row.extend(_BLANK * (column - len(row)))


def _split_wide(row: Row, column: int) -> None:
    """Blank a wide character whose right half is at a column."""
    if column < len(row) and not row[column]:
        row[column - 1] = row[column] = _BLANK
