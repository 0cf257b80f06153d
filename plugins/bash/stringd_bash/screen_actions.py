"""What instructions to a terminal do to its screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from stringd_bash.screen import Screen

Action: TypeAlias = Callable[[Screen, list[int]], None]

WITHIN_LINE = frozenset(
    {"", "\b", "\t", "\r", "[@", "[C", "[D", "[G", "[`", "[I", "[K", "[P", "[X", "[Z", "[a", "[b"}
)
"""Instructions that change nothing but the line that the cursor is in."""
IGNORED_IN_LINES = frozenset({"\x0f", "(B", "[?h", "[?l", "[l"})
"""Instructions that restore defaults which a terminal that shows lines never leaves."""
_INSERT = 4


def _count(values: list[int]) -> int:
    return values[0] or 1


def _set_position(screen: Screen, values: list[int]) -> None:
    row, column = (*values, 0)[:2]
    screen.to_row((row or 1) - 1)
    screen.to_column((column or 1) - 1)


def _set_column(screen: Screen, values: list[int]) -> None:
    screen.to_column(_count(values) - 1)


def _to_line_start(screen: Screen) -> None:
    screen.to_column(0)


def _region(screen: Screen, values: list[int]) -> None:
    top, bottom = (*values, 0)[:2]
    screen.set_region((top or 1) - 1, (bottom or screen.size.rows) - 1)


def _set_insert_mode(screen: Screen, modes: list[int], *, is_set: bool) -> None:
    if _INSERT in modes:
        screen.is_inserting = is_set


def _next_row(screen: Screen, _: list[int]) -> None:
    screen.index()
    _to_line_start(screen)


def _move_rows(screen: Screen, rows: int) -> None:
    screen.move(rows=rows)
    _to_line_start(screen)


def _soft_reset(screen: Screen, _: list[int]) -> None:
    screen.top, screen.bottom = 0, screen.size.rows - 1
    screen.is_inserting = screen.is_relative = False
    screen.autowraps = True


ON_SCREEN: Mapping[str, Action] = {
    "\b": lambda screen, _: screen.move(columns=-1),
    "\t": lambda screen, _: screen.tab(),
    "\r": lambda screen, _: _to_line_start(screen),
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
    "[E": lambda screen, values: _move_rows(screen, _count(values)),
    "[F": lambda screen, values: _move_rows(screen, -_count(values)),
    **dict.fromkeys(("[G", "[`"), _set_column),
    **dict.fromkeys(("[H", "[f"), _set_position),
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
    "[h": lambda screen, values: _set_insert_mode(screen, values, is_set=True),
    "[l": lambda screen, values: _set_insert_mode(screen, values, is_set=False),
    "[r": _region,
    "[!p": _soft_reset,
}
"""The effect of each instruction on a screen, given the instruction's parameters."""
