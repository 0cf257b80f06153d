"""A terminal that also follows how text looks, whether the cursor is shown, and what is saved with it."""

from __future__ import annotations

from dataclasses import dataclass

from stringd.plugin.terminal import ALTERNATE, numbers
from stringd_bash.console_screen.restyling import PLAIN_STYLE, restyled
from stringd_bash.console_screen.styled_screen import StyledScreen
from stringd_bash.recent_output import FRESH_LINE
from stringd_bash.screen_emulator import Emulator
from stringd_bash.terminal_size import Size
from stringd_console import TextStyle

_CURSOR = 25
_FRESH_LINE = FRESH_LINE.removeprefix("\x1b")
_SAVES, _RESTORES, _RESETS = frozenset({"7", "[s"}), frozenset({"8", "[u"}), frozenset({"c", "[!p"})


@dataclass
class StyledEmulator(Emulator):
    """Draws on styled screens."""

    shows_cursor: bool = True
    is_alternate: bool = False
    saved_style: TextStyle = PLAIN_STYLE

    @classmethod
    def of(cls, size: Size) -> StyledEmulator:
        """Return a new terminal."""
        return cls(StyledScreen(size=size))

    @property
    def shown(self) -> StyledScreen:
        """The screen that is shown."""
        screen = self.screen
        assert isinstance(screen, StyledScreen)
        return screen

    def obey(self, name: str, argument: str) -> None:
        """Carry out one instruction."""
        if name == _FRESH_LINE:
            if self.screen.x:
                self.feed([("\r\n", "")])
            return
        if name == "[m":
            self.shown.style = restyled(self.shown.style, argument)
            return
        style = self.shown.style
        super().obey(name, argument)
        if name in {"[?h", "[?l"}:
            self._follow(numbers(argument), is_set=name == "[?h")
            # What is written on another screen looks the same.
            self.shown.style = style
        elif name in _SAVES:
            self.saved_style = style
        elif name in _RESTORES:
            self.shown.style = self.saved_style
        elif name in _RESETS:
            self.shows_cursor, self.shown.style = True, PLAIN_STYLE
            self.is_alternate = self.main is not None

    def _follow(self, modes: list[int], *, is_set: bool) -> None:
        if _CURSOR in modes:
            self.shows_cursor = is_set
        if ALTERNATE & {*modes}:
            self.is_alternate = is_set
