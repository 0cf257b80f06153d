"""Rows as Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_BREAKS = re.compile(r"\r\n|[\r\n]")


def as_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; escape characters that would end a cell or a line."""
    lines = [_line(columns), _line("---" for _ in columns).replace(" ", ""), *map(_line, rows)]
    return "\n".join(lines)


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    text = str(value).replace("\\", "\\\\").replace("|", "\\|")
    return _BREAKS.sub("<br>", text)
