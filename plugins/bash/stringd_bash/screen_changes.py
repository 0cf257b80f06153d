"""Say what has changed on a screen since the last reply, as most keys change little of it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from stringd_bash.cells import text_of
from stringd_bash.screen import Screen
from stringd_bash.screen_emulator import Emulator

_COMMAND = "//screen"


class ScreenChanges(Struct):
    """The rows that were shown last."""

    _rows: Sequence[str] = field(default=())

    def of(self, shown: str, terminal: Emulator | None) -> str:
        """Return the rows that have changed, with their numbers; all that is shown if there is more."""
        rows = _rows(terminal.screen) if terminal else ()
        before, self._rows = self._rows, rows
        if len(before) != len(rows) or not rows or shown != "\n".join(rows).rstrip("\n"):
            return shown
        changed = [f"{number:>3}| {row}" for number, row in enumerate(rows, 1) if row != before[number - 1]]
        if not changed:
            return f"[the screen has not changed; {_COMMAND} shows it]"
        told = "\n".join((f"[changed rows; {_COMMAND} shows all {len(rows)}]", *changed))
        return told if len(told) < len(shown) else shown


def whole_screen(screen: Screen) -> str:
    """Return all rows of a screen, and below them where the cursor is."""
    text = "\n".join(_rows(screen)).rstrip("\n")
    return f"{text}\n[cursor: row {screen.y + 1}, column {screen.x + 1} of {screen.size.columns}]"


def _rows(screen: Screen) -> Sequence[str]:
    return [text_of(row) for row in screen.rows]
