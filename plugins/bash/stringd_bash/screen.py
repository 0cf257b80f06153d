"""A terminal's screen: rows, a cursor, and the operations on them.

No operation costs more than copying one row or the references to all rows; only `fill` makes all cells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from stringd_bash.cells import Row, combine, delete, erase, insert, put, text_of, truncate, width
from stringd_bash.terminal_size import Size

_PIECE = re.compile(r"[ -~]+|[^ -~]")
_TAB = 8


@dataclass(slots=True, kw_only=True)
class Screen:
    """What a program has printed. A screen that does not wrap holds lines of any length."""

    size: Size
    wraps: bool = True
    keeps: bool = True
    """Whether rows that scroll off the top are kept."""
    x: int = 0
    y: int = 0
    top: int = 0
    bottom: int = 0
    is_inserting: bool = False
    autowraps: bool = True
    """Whether text that reaches the right edge continues in the next row."""
    is_relative: bool = False
    """Whether rows are counted from the top of the scrolling region."""
    last: str = " "
    rows: list[Row] = field(default_factory=list)
    scrolled: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bottom = self.size.rows - 1
        self.rows = _blank_rows(self.size.rows)

    def __getstate__(self) -> dict[str, Any]:
        # Pickling a row as one text is ten times as fast, and no cell contains a line break.
        rows = ["\n".join(row) for row in self.rows]
        return {name: getattr(self, name) for name in self.__slots__} | {"rows": rows}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self.rows = [row.split("\n") if row else [] for row in state["rows"]]

    def picture(self) -> str:
        """Return the rows, after those that have scrolled off since the last picture."""
        lines = [*self.scrolled, *map(text_of, self.rows)]
        self.scrolled = []
        return "\n".join(lines).rstrip("\n")

    def write(self, text: str) -> None:
        """Write text at the cursor."""
        for piece in _PIECE.findall(text):
            if piece.isascii():
                self._write_run(piece)
            else:
                self._write_character(piece)
            self.last = piece[-1]

    def repeat(self, count: int) -> None:
        """Write the last character again, at most once for each column of a row."""
        self.write(self.last * min(count, self.size.columns))

    def index(self) -> None:
        """Move down by a row; at the bottom of the scrolling region, scroll it up."""
        if not self.wraps and self.x > self.size.columns:
            self.x = (self.x - 1) % self.size.columns + 1  # where a terminal is that has wrapped the row
        if self.y == self.bottom:
            self.scroll_up(1)
        else:
            self.y = min(self.y + 1, self.size.rows - 1)

    def reverse_index(self) -> None:
        """Move up by a row; at the top of the scrolling region, scroll it down."""
        if self.y == self.top:
            self.scroll_down(1)
        else:
            self.y = max(self.y - 1, 0)

    def scroll_up(self, count: int) -> None:
        """Scroll the region up; rows that leave the screen at the top are kept."""
        count = min(count, self.bottom - self.top + 1)
        if self.keeps and self.top == 0:
            self._keep(self.rows[:count])
        self._shift(self.top, count)

    def scroll_down(self, count: int) -> None:
        """Scroll the region down."""
        self._shift(self.top, -count)

    def insert_rows(self, count: int) -> None:
        """Insert blank rows at the cursor, within the region."""
        if self.top <= self.y <= self.bottom:
            self._shift(self.y, -count)

    def delete_rows(self, count: int) -> None:
        """Delete rows at the cursor, within the region."""
        if self.top <= self.y <= self.bottom:
            self._shift(self.y, count)

    def insert_cells(self, count: int) -> None:
        """Insert blank cells at the cursor, within the row."""
        row = self.rows[self.y]
        edge = max(len(row), self.size.columns)
        insert(row, self.x, " " * min(count, self.size.columns))
        truncate(row, edge)

    def delete_cells(self, count: int) -> None:
        """Delete cells at the cursor."""
        delete(self.rows[self.y], self.x, count)

    def erase_cells(self, count: int) -> None:
        """Blank cells from the cursor on."""
        erase(self.rows[self.y], self.x, self.x + count)

    def erase_row(self, part: int) -> None:
        """Blank the row after the cursor (0), before it (1), or all of it (2)."""
        row = self.rows[self.y]
        if part == 1:
            erase(row, 0, self.x + 1)
        elif part in {0, 2}:
            truncate(row, 0 if part else self.x)

    def erase_rows(self, part: int) -> None:
        """Blank the screen after the cursor (0), before it (1), or all of it (2)."""
        below = {0: range(self.y + 1, self.size.rows), 1: range(self.y), 2: range(self.size.rows)}
        for number in below.get(part, ()):
            self.rows[number] = []
        if part in {0, 1}:
            self.erase_row(part)

    def fill(self) -> None:
        """Fill the screen with E."""
        self.rows = [["E"] * self.size.columns for _ in range(self.size.rows)]

    def move(self, *, rows: int = 0, columns: int = 0) -> None:
        """Move the cursor by rows and columns; it leaves neither the screen nor the region that it is in."""
        top = self.top if self.y >= self.top else 0
        bottom = self.bottom if self.y <= self.bottom else self.size.rows - 1
        self.y = max(top, min(self.y + rows, bottom))
        if columns:
            self.to_column(min(self.x, self._rightmost) + columns)

    def to_column(self, column: int) -> None:
        """Move the cursor to a column of its row."""
        self.x = max(0, min(column, self._rightmost))

    def to_row(self, row: int) -> None:
        """Move the cursor to a row of its column."""
        first, last = (self.top, self.bottom) if self.is_relative else (0, self.size.rows - 1)
        self.y = max(first, min(first + row, last))

    def tab(self) -> None:
        """Move the cursor to the next tab stop."""
        column = (self.x // _TAB + 1) * _TAB
        if self.wraps:
            self.to_column(column)
        else:
            self.x = column

    def to_stop(self, count: int) -> None:
        """Move the cursor by so many tab stops, back for a negative count."""
        stop = self.x // _TAB if count > 0 else -(-self.x // _TAB)
        self.to_column((stop + count) * _TAB)

    def set_region(self, top: int, bottom: int) -> None:
        """Set the scrolling region."""
        if 0 <= top < bottom:
            self.top, self.bottom = top, min(bottom, self.size.rows - 1)
            self.to_row(0)
            self.to_column(0)

    def resize(self, size: Size) -> None:
        """Change the size; surplus rows leave at the top, but not those from the cursor on."""
        excess = max(0, self.y - size.rows + 1)
        if self.keeps:
            self._keep(self.rows[:excess])
        self.rows = (self.rows[excess:] + _blank_rows(size.rows))[: size.rows]
        self.y -= excess
        self.size = size
        self.top, self.bottom = 0, size.rows - 1
        for row in self.rows:
            self._fit(row)
        self.x = min(self.x, self._rightmost)

    def fresh(self, *, keeps: bool) -> Screen:
        """Return a blank screen of the same kind."""
        return Screen(size=self.size, wraps=self.wraps, keeps=keeps)

    def _keep(self, rows: list[Row]) -> None:
        """Keep rows that have left at the top."""
        self.scrolled += map(text_of, rows)

    @property
    def _rightmost(self) -> int:
        edge = self.size.columns - 1
        return edge if self.wraps else max(edge, len(self.rows[self.y]), self.x)

    def _write_run(self, run: str) -> None:
        start = 0
        while start < len(run):
            self._make_room(1)
            end = start + self.size.columns - self.x if self.wraps else len(run)
            self._place(run[start:end])
            start = end

    def _write_character(self, character: str) -> None:
        columns = width(character)
        if not columns:
            combine(self.rows[self.y], self.x, character)
            return
        self._make_room(columns)
        self._place([character, ""][:columns])

    def _make_room(self, columns: int) -> None:
        if self.wraps and self.x + columns > self.size.columns:
            if self.autowraps:
                self.x = 0
                self.index()
            else:
                self.x = self.size.columns - columns

    def _place(self, cells: str | list[str]) -> None:
        row = self.rows[self.y]
        (insert if self.is_inserting else put)(row, self.x, cells)
        self._fit(row)
        self.x += len(cells)

    def _fit(self, row: Row) -> None:
        if self.wraps and len(row) > self.size.columns:
            truncate(row, self.size.columns)

    def _shift(self, first: int, count: int) -> None:
        """Scroll the rows from one to the end of the region up, or down for a negative count."""
        end = self.bottom + 1
        blank = _blank_rows(min(abs(count), end - first))
        if count > 0:
            self.rows[end:end] = blank
            del self.rows[first : first + len(blank)]
        else:
            del self.rows[end - len(blank) : end]
            self.rows[first:first] = blank


def _blank_rows(count: int) -> list[Row]:
    return [[] for _ in range(count)]
