"""Convert the output of a program, piece by piece, to the lines that a terminal shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stringd.text.escaping import visible
from stringd.text.terminal_sequences import (
    ALTERNATE,
    numbers,
    parse,
    plain_lines,
    without_colours,
    without_unfinished,
)

SCREEN_NOTE = "[a full-screen program]"
_LONGEST_ROW = 4096
# Beyond this column, only text extends a row, since a few bytes could make it very long otherwise.
_MOST_COLUMNS = 500
_TAB = 8
_LINE_ENDS = frozenset({"\n", "\r\n"})
# Instructions that move the cursor to another row start a new line here.
_TO_ANOTHER_ROW = frozenset(
    {"\v", "\f", "8", "D", "E", "M", "c"} | {f"[{final}" for final in "ABEFHLMSTdefu"}
)
_CLEARED = frozenset({2, 3})


class PrintedLines:
    """Turns output that comes in pieces into text that only grows.

    Within a piece a row is shown as it looks after all movements in it. A row that was shown before and
    is written over by a later piece is shown again, in a line of its own. Of programs that use the
    terminal as a screen there is nothing but a note.
    """

    def __init__(self) -> None:
        self._row = ""
        self._column = 0
        self._shown = ""
        self._unfinished = ""
        self._is_screen = False

    def show(self, text: str, *, final: bool = False) -> str:
        """Return what a piece adds to the text; what is `final` ends no sequence that begins later."""
        text = self._unfinished + text
        text, self._unfinished = (text, "") if final else _without_open_end(text)
        if self._is_appending:
            plain = plain_lines(without_colours(text))
            if plain is not None:
                return visible(self._append(plain))
        return visible("".join(self._carry_out(text)))

    @property
    def _is_appending(self) -> bool:
        """Whether the cursor is at the end of a row that has been shown."""
        return not self._is_screen and self._row == self._shown and self._column == len(self._row)

    def _append(self, plain: str) -> str:
        before, line_end, last = plain.rpartition("\n")
        self._row = last if line_end else self._row + last
        self._forget_long_row()
        self._shown, self._column = self._row, len(self._row)
        return before + line_end + last

    def _carry_out(self, text: str) -> list[str]:
        added: list[str] = []
        for name, argument in parse(text):
            if name in {"[?h", "[?l"}:
                self._switch(name + argument, added)
            elif self._is_screen:
                continue
            elif name in _LINE_ENDS:
                added += (self._new_in_row(), "\n")
                self.begin_row()
            elif name in _TO_ANOTHER_ROW or (name == "[J" and numbers(argument)[0] in _CLEARED):
                self._break_row(added)
            else:
                self._change_row(name, argument)
        added.append(self._new_in_row())
        self._forget_long_row()
        return added

    def _switch(self, mode: str, added: list[str]) -> None:
        is_set = mode.startswith("[?h")
        if is_set == self._is_screen or not ALTERNATE & set(numbers(mode[3:])):
            return
        self._break_row(added)
        self._is_screen = is_set
        if is_set:
            added.append(f"{SCREEN_NOTE}\n")

    def _break_row(self, added: list[str]) -> None:
        new = self._new_in_row()
        if self._shown:
            added += (new, "\n")
        self.begin_row()

    def begin_row(self) -> None:
        """Continue in an empty row, after other text has been shown."""
        self._row, self._column, self._shown = "", 0, ""

    def _forget_long_row(self) -> None:
        if len(self._row) > _LONGEST_ROW:
            self.begin_row()

    def _new_in_row(self) -> str:
        """Return the addition after which the text ends with the row."""
        row, shown = self._row, self._shown
        if not row or row == shown:
            return ""
        self._shown = row
        return row[len(shown) :] if row.startswith(shown) else f"\n{row}"

    def _change_row(self, name: str, argument: str) -> None:
        if not name:
            self._write(argument)
        elif change := _IN_ROW.get(name):
            values = numbers(argument)
            self._row, column = change(self._row, self._column, values[0])
            self._column = max(0, min(column, max(len(self._row), _MOST_COLUMNS)))

    def _write(self, text: str) -> None:
        row, column = self._row.ljust(self._column), self._column
        self._column += len(text)
        self._row = row[:column] + text + row[self._column :]


Change = Callable[[str, int, int], tuple[str, int]]


def _tab(row: str, column: int, _: int) -> tuple[str, int]:
    if column == len(row):
        return f"{row}\t", column + 1
    return row, (column // _TAB + 1) * _TAB


def _erase_in_row(row: str, column: int, part: int) -> tuple[str, int]:
    if part == 0:
        return row[:column], column
    return (" " * min(column + 1, len(row)) + row[column + 1 :] if part == 1 else ""), column


def _erase_cells(row: str, column: int, count: int) -> tuple[str, int]:
    end = column + max(count, 1)
    return row[:column] + " " * (min(end, len(row)) - column) + row[end:], column


def _delete_cells(row: str, column: int, count: int) -> tuple[str, int]:
    return row[:column] + row[column + max(count, 1) :], column


def _insert_cells(row: str, column: int, count: int) -> tuple[str, int]:
    room = max(_MOST_COLUMNS - len(row), 0)
    return row[:column] + " " * min(max(count, 1), room) + row[column:], column


def _forward(row: str, column: int, count: int) -> tuple[str, int]:
    return row, column + max(count, 1)


def _back(row: str, column: int, count: int) -> tuple[str, int]:
    return row, column - max(count, 1)


def _to_column(row: str, _: int, column: int) -> tuple[str, int]:
    return row, max(column, 1) - 1


_IN_ROW: Mapping[str, Change] = {
    "\r": lambda row, _, __: (row, 0),
    "\b": lambda row, column, _: (row, column - 1),
    "\t": _tab,
    "[C": _forward,
    "[a": _forward,
    "[D": _back,
    "[G": _to_column,
    "[`": _to_column,
    "[J": _erase_in_row,
    "[K": _erase_in_row,
    "[P": _delete_cells,
    "[@": _insert_cells,
    "[X": _erase_cells,
}
"""Applies an instruction to a row and the cursor column, given its first parameter."""


def _without_open_end(text: str) -> tuple[str, str]:
    """Split off an incomplete sequence at the end, or a carriage return that a line feed may follow."""
    complete, unfinished = without_unfinished(text)
    if unfinished:
        return complete, unfinished
    complete = text.rstrip("\r")
    return complete, text[len(complete) :]
