"""Emulate a terminal as far as its screen shows; unknown instructions are ignored, as terminals do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from stringd.plugin.terminal import ALTERNATE, Instruction, numbers
from stringd_bash.screen import Screen
from stringd_bash.screen_actions import ON_SCREEN
from stringd_bash.terminal_size import Size

_GRAPHICS = str.maketrans("_`abcdefghijklmnopqrstuvwxyz{|}~", " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
_ORIGIN, _AUTOWRAP, _CURSOR = 6, 7, 1048


class _Saved(Struct, frozen=True, kw_only=True):
    """A saved cursor and its character sets."""

    x: int = 0
    y: int = 0
    graphics: tuple[bool, bool] = (False, False)
    is_shifted: bool = False


@dataclass(slots=True)
class Emulator:
    """The shown screen, the main screen while the alternate one is shown, and the character sets."""

    screen: Screen
    main: Screen | None = None
    graphics: tuple[bool, bool] = (False, False)
    """Whether each of the two character sets is the one with line-drawing characters."""
    is_shifted: bool = False
    saved: _Saved = field(default_factory=_Saved)

    def feed(self, instructions: Iterable[Instruction]) -> None:
        """Carry out instructions."""
        for name, argument in instructions:
            self.obey(name, argument)

    def obey(self, name: str, argument: str) -> None:
        """Carry out one instruction."""
        if not name:
            self.screen.write(self._translated(argument))
        elif action := ON_SCREEN.get(name):
            action(self.screen, numbers(argument))
        elif name in _ON_TERMINAL:
            _ON_TERMINAL[name](self, numbers(argument))

    def resize(self, size: Size) -> None:
        """Change the size."""
        for screen in (self.screen, self.main):
            if screen and screen.size != size:
                screen.resize(size)

    def save(self, _: list[int]) -> None:
        """Save the cursor."""
        screen = self.screen
        self.saved = _Saved(x=screen.x, y=screen.y, graphics=self.graphics, is_shifted=self.is_shifted)

    def restore(self, _: list[int]) -> None:
        """Restore the saved cursor."""
        self.graphics, self.is_shifted = self.saved.graphics, self.saved.is_shifted
        self.screen.y = min(self.saved.y, self.screen.size.rows - 1)
        self.screen.to_column(self.saved.x)

    def reset(self, _: list[int]) -> None:
        """Return to the initial state, but keep the rows that have scrolled off the screen."""
        main = self.main or self.screen
        self.screen = main.fresh(keeps=True)
        self.screen.scrolled = main.scrolled
        self.main, self.saved, self.is_shifted, self.graphics = None, _Saved(), False, (False, False)

    def set_modes(self, modes: list[int]) -> None:
        """Set private modes."""
        self._change(modes, is_set=True)

    def reset_modes(self, modes: list[int]) -> None:
        """Reset private modes."""
        self._change(modes, is_set=False)

    def shift(self, *, out: bool) -> None:
        """Switch between the two character sets."""
        self.is_shifted = out

    def set_charset(self, number: int, *, graphics: bool) -> None:
        """Set one of the two character sets."""
        first, second = self.graphics
        self.graphics = (first, graphics) if number else (graphics, second)

    def _translated(self, text: str) -> str:
        return text.translate(_GRAPHICS) if self.graphics[self.is_shifted] else text

    def _change(self, modes: list[int], *, is_set: bool) -> None:
        if _ORIGIN in modes:
            self.screen.is_relative = is_set
            self.screen.to_row(0)
            self.screen.to_column(0)
        if _AUTOWRAP in modes:
            self.screen.autowraps = is_set
        if _CURSOR in modes:
            (self.save if is_set else self.restore)([])
        if ALTERNATE & {*modes}:
            (self._show_alternate if is_set else self._show_main)()

    def _show_alternate(self) -> None:
        if self.main is None:
            self.main = self.screen
            self.screen = self.screen.fresh(keeps=False)

    def _show_main(self) -> None:
        if self.main is not None:
            self.screen, self.main = self.main, None


_ON_TERMINAL: Mapping[str, Callable[[Emulator, list[int]], None]] = {
    **dict.fromkeys(("7", "[s"), Emulator.save),
    **dict.fromkeys(("8", "[u"), Emulator.restore),
    "c": Emulator.reset,
    "[?h": Emulator.set_modes,
    "[?l": Emulator.reset_modes,
    "\x0e": lambda terminal, _: terminal.shift(out=True),
    "\x0f": lambda terminal, _: terminal.shift(out=False),
    "(0": lambda terminal, _: terminal.set_charset(0, graphics=True),
    ")0": lambda terminal, _: terminal.set_charset(1, graphics=True),
    **dict.fromkeys(("(A", "(B"), lambda terminal, _: terminal.set_charset(0, graphics=False)),
    **dict.fromkeys((")A", ")B"), lambda terminal, _: terminal.set_charset(1, graphics=False)),
}


def has_effect(name: str) -> bool:
    """Tell whether an instruction changes what is shown."""
    return not name or name in ON_SCREEN or name in _ON_TERMINAL
