"""Tables that are drawn with lines: the cells between them, and the text in the cells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

import pypdfium2 as pdfium
import pypdfium2.raw as pdf
from msgspec import Struct

from stringd_documents.pdf.page_lines import Line, Segment

# Pages with more shapes than this hold maps or charts.
_MOST_SHAPES = 3000
# Points: what is thinner is a line; what is nearer touches; what is smaller is no cell.
_THIN, _NEAR, _LEAST = 2.5, 3.0, 6.0
_FEWEST_CELLS = 2

Box = tuple[float, float, float, float]
"""Left, bottom, right and top of a shape."""


class Grid(Struct, frozen=True, kw_only=True):
    """The edges of a table's columns, from the left, and of its rows, from the bottom."""

    columns: Sequence[float]
    rows: Sequence[float]

    def holds(self, line: Line) -> bool:
        """Whether all texts of a line stand in the table."""
        return all(
            self.columns[0] <= x <= self.columns[-1] and self.rows[0] <= y <= self.rows[-1]
            for x, y in map(_center, line.segments)
        )

    def table(self, lines: Iterable[Line]) -> list[list[str]]:
        """Return the text of the cells, from the top, without empty columns and rows."""
        cells: list[list[list[str]]] = [[[] for _ in self.columns[1:]] for _ in self.rows[1:]]
        for segment in (it for line in lines for it in line.segments):
            x, y = _center(segment)
            row = len(self.rows) - 1 - bisect_right(self.rows, y)
            column = bisect_right(self.columns, x) - 1
            cells[min(max(row, 0), len(cells) - 1)][min(column, len(cells[0]) - 1)].append(segment.text)
        table = [[" ".join(cell) for cell in row] for row in cells]
        used = [index for index in range(len(table[0])) if any(row[index] for row in table)]
        return [[row[index] for index in used] for row in table if any(row)]


def grids_of(page: pdfium.PdfPage) -> list[Grid]:
    """Return the tables that are drawn on a page."""
    horizontal, vertical = _edges(_shapes(page))
    return [grid for group in _groups(horizontal + vertical) if (grid := _grid(group))]


def _shapes(page: pdfium.PdfPage) -> list[Box]:
    if pdf.FPDFPage_CountObjects(page) > _MOST_SHAPES:
        return []
    return [it.get_bounds() for it in page.get_objects(filter=[pdf.FPDF_PAGEOBJ_PATH], max_depth=2)]


def _edges(shapes: Iterable[Box]) -> tuple[list[Box], list[Box]]:
    """Return the horizontal and vertical lines; a frame consists of four."""
    horizontal, vertical = [], []
    for left, bottom, right, top in shapes:
        width, height = right - left, top - bottom
        if height <= _THIN and width > _LEAST:
            horizontal.append((left, bottom, right, top))
        elif width <= _THIN and height > _LEAST:
            vertical.append((left, bottom, right, top))
        elif width > _LEAST and height > _LEAST:
            horizontal += [(left, bottom, right, bottom), (left, top, right, top)]
            vertical += [(left, bottom, left, top), (right, bottom, right, top)]
    return horizontal, vertical


def _groups(lines: Sequence[Box]) -> Iterator[list[Box]]:
    """Yield the lines that touch each other, directly or over others."""
    left = sorted(lines)
    while left:
        group, waiting = [], [left.pop()]
        while waiting:
            line = waiting.pop()
            group.append(line)
            touching = [it for it in left if _touches(line, it)]
            waiting += touching
            left = [it for it in left if not _touches(line, it)] if touching else left
        yield group


def _touches(one: Box, other: Box) -> bool:
    return (
        one[0] - _NEAR <= other[2]
        and other[0] - _NEAR <= one[2]
        and one[1] - _NEAR <= other[3]
        and other[1] - _NEAR <= one[3]
    )


def _grid(lines: Sequence[Box]) -> Grid | None:
    columns = _distinct([it[0] for it in lines if it[2] - it[0] <= _THIN])
    rows = _distinct([it[1] for it in lines if it[3] - it[1] <= _THIN])
    if len(columns) <= _FEWEST_CELLS or len(rows) <= _FEWEST_CELLS:
        return None
    return Grid(columns=columns, rows=rows)


def _distinct(values: Iterable[float]) -> list[float]:
    """Return the values in order, without those that are too near to another."""
    distinct: list[float] = []
    for value in sorted(values):
        if not distinct or value - distinct[-1] > _LEAST:
            distinct.append(value)
    return distinct


def _center(segment: Segment) -> tuple[float, float]:
    return (segment.left + segment.right) / 2, (segment.bottom + segment.top) / 2
