"""A screen whose cells remember how they look."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby

from stringd_bash.cells import Row, put, truncate
from stringd_bash.console_screen.restyling import PLAIN_STYLE
from stringd_bash.screen import Screen
from stringd_console import StyledCells, TextStyle

_KEPT_ROWS = 200
# The part of what is erased that stands for the rows that have left.
_KEPT = 3
_BLANK = " "


class StyledCell(str):
    """The text of a cell that does not look plain."""

    __slots__ = ("style",)
    style: TextStyle

    @classmethod
    def of(cls, text: str, style: TextStyle) -> StyledCell:
        """Return a cell."""
        cell = cls(text)
        cell.style = style
        return cell

    def __add__(self, other: str) -> StyledCell:
        """Return a cell with combining characters, which looks the same."""
        return StyledCell.of(str.__add__(self, other), self.style)


class Pen(dict[str, StyledCell]):
    """Returns the cell for each character in a style; only those for ASCII are kept."""

    def __init__(self, style: TextStyle) -> None:
        super().__init__()
        self.style = style

    def __missing__(self, character: str) -> StyledCell:
        cell = StyledCell.of(character, self.style)
        if character.isascii():
            self[character] = cell
        return cell


@lru_cache(maxsize=256)
def pen_of(style: TextStyle) -> Pen | None:
    """Return what writes in a style; None for the plain one."""
    return None if style == PLAIN_STYLE else Pen(style)


@dataclass(kw_only=True)
class StyledScreen(Screen):
    """Writes cells in a style, and erases in its background, as terminals do."""

    style: TextStyle = PLAIN_STYLE
    kept: list[Row] = field(default_factory=list)
    """The last rows that have left at the top."""
    left: int = 0
    """The number of rows that have ever left at the top."""

    def fresh(self, *, keeps: bool) -> StyledScreen:
        """Return a blank screen of the same kind."""
        screen = StyledScreen(size=self.size, wraps=self.wraps, keeps=keeps, style=self.style)
        if keeps:
            screen.kept, screen.left = self.kept, self.left
        return screen

    def erase_row(self, part: int) -> None:
        """Blank the row after the cursor (0), before it (1), or all of it (2)."""
        row, blank = self.rows[self.y], self._blank
        if blank is None:
            super().erase_row(part)
        elif part == 1:
            put(row, 0, [blank] * min(self.x + 1, self.size.columns))
        elif part in {0, 2}:
            start = 0 if part else min(self.x, self.size.columns)
            truncate(row, start)
            put(row, start, [blank] * (self.size.columns - start))

    def erase_rows(self, part: int) -> None:
        """Blank the screen after the cursor (0), before it (1), or all of it (2); forget kept rows (3)."""
        super().erase_rows(part)
        if part == _KEPT:
            self.kept.clear()
        if (blank := self._blank) is None:
            return
        below = {0: range(self.y + 1, self.size.rows), 1: range(self.y), 2: range(self.size.rows)}
        for number in below.get(part, ()):
            self.rows[number] = [blank] * self.size.columns

    def erase_cells(self, count: int) -> None:
        """Blank cells from the cursor on."""
        super().erase_cells(count)
        if (blank := self._blank) is not None:
            put(self.rows[self.y], self.x, [blank] * max(min(count, self.size.columns - self.x), 0))

    def _shift(self, first: int, count: int) -> None:
        super()._shift(first, count)
        if (blank := self._blank) is not None:
            made = min(abs(count), self.bottom + 1 - first)
            start = self.bottom + 1 - made if count > 0 else first
            self.rows[start : start + made] = [[blank] * self.size.columns for _ in range(made)]

    def _place(self, cells: str | list[str]) -> None:
        pen = pen_of(self.style)
        super()._place(cells if pen is None else [pen[it] for it in cells])

    def _keep(self, rows: list[Row]) -> None:
        self.left += len(rows)
        self.kept += rows
        del self.kept[:-_KEPT_ROWS]

    @property
    def _blank(self) -> str | None:
        """A blank cell in the background; None for the plain one."""
        if self.style.background is None:
            return None
        pen = pen_of(TextStyle(background=self.style.background))
        return None if pen is None else pen[_BLANK]


def runs_of(row: Row) -> tuple[StyledCells, ...]:
    """Return the cells of a row by their looks, without plain blanks at the end."""
    end = len(row)
    while end and row[end - 1] == _BLANK and not isinstance(row[end - 1], StyledCell):
        end -= 1
    runs = []
    style = PLAIN_STYLE
    styles = []
    for cell in row[:end]:
        if isinstance(cell, StyledCell):
            style = cell.style
        elif cell:
            style = PLAIN_STYLE
        styles.append(style)
    start = 0
    for style, group in groupby(styles):
        length = len(list(group))
        cells = tuple(map(str.__str__, row[start : start + length]))
        runs.append(StyledCells(style=style, cells=cells))
        start += length
    return tuple(runs)
