"""What the orders that programs give to a terminal do to its screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from stringd_bash.screen import Screen

Act: TypeAlias = Callable[[Screen, list[int]], None]

IN_LINE = frozenset(
    {"", "\b", "\t", "\r", "[@", "[C", "[D", "[G", "[`", "[I", "[K", "[P", "[X", "[Z", "[a", "[b"}
)
"""Those that change the line that the cursor is in, and nothing else."""
OF_NO_MATTER = frozenset({"\x0f", "(B", "[?h", "[?l", "[l"})
"""Those that make a terminal what it is anyway when it shows lines."""
_INSERT = 4


def _count(values: list[int]) -> int:
    return values[0] or 1


def _position(screen: Screen, values: list[int]) -> None:
    row, column = (*values, 0)[:2]
    screen.to_row((row or 1) - 1)
    screen.to_column((column or 1) - 1)


def _column(screen: Screen, values: list[int]) -> None:
    screen.to_column(_count(values) - 1)


def _start(screen: Screen) -> None:
    screen.to_column(0)


def _region(screen: Screen, values: list[int]) -> None:
    top, bottom = (*values, 0)[:2]
    screen.set_region((top or 1) - 1, (bottom or screen.size.rows) - 1)


def _insertion(screen: Screen, modes: list[int], *, is_set: bool) -> None:
    if _INSERT in modes:
        screen.is_inserting = is_set


def _next_row(screen: Screen, _: list[int]) -> None:
    screen.index()
    _start(screen)


def _by_rows(screen: Screen, rows: int) -> None:
    screen.move(rows=rows)
    _start(screen)


def _soften(screen: Screen, _: list[int]) -> None:
    screen.top, screen.bottom = 0, screen.size.rows - 1
    screen.is_inserting = screen.is_relative = False
    screen.goes_on = True


ON_SCREEN: Mapping[str, Act] = {
    "\b": lambda screen, _: screen.move(columns=-1),
    "\t": lambda screen, _: screen.tab(),
    "\r": lambda screen, _: _start(screen),
    "\r\n": _next_row,
    **dict.fromkeys(("\n", "\v", "\f", "D"), lambda screen, _: screen.index()),
    "E": _next_row,
    "M": lambda screen, _: screen.reverse_index(),
    "#8": lambda screen, _: screen.fill(),
    "[@": lambda screen, values: screen.insert_cells(_count(values)),
    "[A": lambda screen, values: screen.move(rows=-_count(values)),
    **dict.fromkeys(("[B", "[e"), lambda screen, values: screen.move(rows=_count(values))),
    **dict.fromkeys(("[C", "[a"), lambda screen, values: screen.move(columns=_count(values))),
    "[D": lambda screen, values: screen.move(columns=-_count(values)),
    "[E": lambda screen, values: _by_rows(screen, _count(values)),
    "[F": lambda screen, values: _by_rows(screen, -_count(values)),
    **dict.fromkeys(("[G", "[`"), _column),
    **dict.fromkeys(("[H", "[f"), _position),
    "[I": lambda screen, values: screen.to_stop(_count(values)),
    **dict.fromkeys(("[J", "[?J"), lambda screen, values: screen.erase_rows(values[0])),
    **dict.fromkeys(("[K", "[?K"), lambda screen, values: screen.erase_row(values[0])),
    "[L": lambda screen, values: screen.insert_rows(_count(values)),
    "[M": lambda screen, values: screen.delete_rows(_count(values)),
    "[P": lambda screen, values: screen.delete_cells(_count(values)),
    "[S": lambda screen, values: screen.scroll_up(_count(values)),
    "[T": lambda screen, values: screen.scroll_down(_count(values)),
    "[X": lambda screen, values: screen.erase_cells(_count(values)),
    "[Z": lambda screen, values: screen.to_stop(-_count(values)),
    "[b": lambda screen, values: screen.repeat(_count(values)),
    "[d": lambda screen, values: screen.to_row(_count(values) - 1),
    "[h": lambda screen, values: _insertion(screen, values, is_set=True),
    "[l": lambda screen, values: _insertion(screen, values, is_set=False),
    "[r": _region,
    "[!p": _soften,
}
"""What each order does to a screen, given its parameters."""
