"""How a run is shown: live at a terminal, as plain lines, or as JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from stringd.plugin.terminal_programs import is_terminal
from stringd_runs.run_programs.live_view import LiveView
from stringd_runs.run_programs.plain_view import JsonView, PlainView

if TYPE_CHECKING:
    from stringd_runs.messages.run_progress import RunProgress

_STANDARD_ERROR = 2


class View(Protocol):
    """Shows what happens."""

    @property
    def last_text(self) -> str | None:
        """The last answer of an agent, if it has been shown whole."""

    def show(self, message: dict[str, Any]) -> None:
        """Show a message of the run."""

    def refresh(self) -> None:
        """Show that time goes by."""

    def resize(self) -> None:
        """Follow the new size of the terminal."""

    def ask(self, lines: Sequence[str], prompt: str) -> None:
        """Show a question, and leave the line to whoever types, until `resume`."""

    def entered(self) -> None:
        """Note that the terminal has gone to the next line, as it does for Enter."""

    def decided(self, key: str) -> None:
        """Show the key that was pressed, which the terminal does not do by itself."""

    def resume(self) -> None:
        """Go on after a question."""

    def note(self, text: str) -> None:
        """Show a line of the program's own."""

    def leave(self) -> None:
        """Leave what follows a line of its own."""

    def finish(self) -> None:
        """Show how the run has ended."""


def make_view(progress: RunProgress, *, as_json: bool) -> View:
    """Return the view that fits standard error, or that prints JSON."""
    if as_json:
        return JsonView(progress)
    if is_terminal(sys.stderr) and os.environ.get("TERM", "dumb") != "dumb":
        return LiveView(_STANDARD_ERROR, progress)
    return PlainView(progress)
