"""Tables without lines: rows of texts that stand in the same columns."""

from __future__ import annotations

from collections.abc import Sequence

from stringd_documents.pdf.page_lines import Line

_FEWEST_ROWS = 3
_FEWEST_COLUMNS = 2
# Longer texts side by side are columns of prose.
_LONGEST_CELL = 60
# The most space between rows, in heights of a line.
_FARTHEST = 2.2


def table_at(lines: Sequence[Line], start: int) -> tuple[list[list[str]], int] | None:
    """Return the table that begins with a line, and the line behind it; None if there is none."""
    end = _end_of_rows(lines, start)
    rows = lines[start:end]
    if sum(len(it.segments) >= _FEWEST_COLUMNS for it in rows) < _FEWEST_ROWS:
        return None
    columns = _columns(rows)
    if len(columns) < _FEWEST_COLUMNS:
        return None
    table = [_cells(it, columns) for it in rows]
    longest = max(len(cell) for row in table for cell in row)
    return None if longest > _LONGEST_CELL or not _is_filled(table) else (table, end)


def _end_of_rows(lines: Sequence[Line], start: int) -> int:
    """Return the end of the lines with several texts each, one close below the other."""
    end = start
    while end < len(lines) and len(lines[end].segments) >= _FEWEST_COLUMNS:
        if end > start and not _is_below(lines[end - 1], lines[end]):
            break
        end += 1
    return end


def _is_below(above: Line, line: Line) -> bool:
    height = max(above.top - above.bottom, line.size)
    return -height / 3 <= above.bottom - line.top <= height * (_FARTHEST - 1)


def _columns(rows: Sequence[Line]) -> list[tuple[float, float]]:
    """Return the extents of the columns: those of the texts, joined where they overlap."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted((it.left, it.right) for row in rows for it in row.segments):
        if columns and left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _cells(row: Line, columns: Sequence[tuple[float, float]]) -> list[str]:
    texts: list[list[str]] = [[] for _ in columns]
    for segment in row.segments:
        index = next(it for it, (left, right) in enumerate(columns) if left <= segment.left <= right)
        texts[index].append(segment.text)
    return [" ".join(it) for it in texts]


def _is_filled(table: Sequence[Sequence[str]]) -> bool:
    """Whether more than half of the cells hold a text, as in a table."""
    cells = [cell for row in table for cell in row]
    return sum(map(bool, cells)) * 2 > len(cells)
