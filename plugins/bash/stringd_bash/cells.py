"""One row of a screen: a list with an item for each column; the right half of a wide character is empty."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

Row: TypeAlias = list[str]

_BLANK = " "
_WITHOUT_WIDTH = {"Mn", "Me", "Cf", "Zl", "Zp"}
_SOFT_HYPHEN = "\u00ad"
# As many as the Unicode standard lets a stream of text have behind one character.
_MOST_MARKS = 30


@lru_cache(maxsize=4096)
def width(character: str) -> int:
    """Return how many columns a character takes."""
    if unicodedata.category(character) in _WITHOUT_WIDTH or "\u1160" <= character <= "\u11ff":
        return int(character == _SOFT_HYPHEN)
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def put(row: Row, column: int, cells: Sequence[str]) -> None:
    """Put cells in the place of others."""
    _reach(row, column)
    _cut(row, column)
    _cut(row, column + len(cells))
    row[column : column + len(cells)] = cells


def insert(row: Row, column: int, cells: Sequence[str]) -> None:
    """Put cells between others."""
    _reach(row, column)
    _cut(row, column)
    row[column:column] = cells


def delete(row: Row, column: int, count: int) -> None:
    """Take cells out; those behind them move up."""
    _cut(row, column)
    _cut(row, column + count)
    del row[column : column + count]


def erase(row: Row, start: int, end: int) -> None:
    """Make cells blank."""
    if end < len(row):
        put(row, start, [_BLANK] * (end - start))
    else:
        truncate(row, start)


def truncate(row: Row, columns: int) -> None:
    """Make a row no longer than so many columns."""
    _cut(row, columns)
    del row[columns:]


def mark(row: Row, column: int, character: str) -> None:
    """Put a character that takes no column to the one before a column; a cell holds only so many."""
    at = max(column - 1, 0)
    _reach(row, at + 1)
    at -= not row[at]
    if len(row[at]) <= _MOST_MARKS:
        row[at] += character


def text_of(row: Row) -> str:
    """Return what can be read in a row."""
    return "".join(row).rstrip(_BLANK)


def _reach(row: Row, column: int) -> None:
    if len(row) < column:
        row.extend(_BLANK * (column - len(row)))


def _cut(row: Row, column: int) -> None:
    """Blank a wide character that an edge at a column goes through."""
    if column < len(row) and not row[column]:
        row[column - 1] = row[column] = _BLANK
