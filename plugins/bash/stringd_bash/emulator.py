"""A terminal, as far as its screen shows it: it ignores what it does not know, as terminals do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from stringd_bash.screen import Screen
from stringd_bash.screen_actions import ON_SCREEN
from stringd_bash.sequences import Order, numbers
from stringd_bash.size import Size

ALTERNATE = frozenset({47, 1047, 1049})
"""The private modes that show another screen meanwhile."""
_GRAPHICS = str.maketrans("_`abcdefghijklmnopqrstuvwxyz{|}~", " ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
_RELATIVE, _GOES_ON, _CURSOR = 6, 7, 1048


@dataclass(frozen=True, slots=True, kw_only=True)
class _Saved:
    """A cursor that programs may come back to."""

    x: int = 0
    y: int = 0
    graphics: tuple[bool, bool] = (False, False)
    is_shifted: bool = False


@dataclass(slots=True)
class Emulator:
    """A screen, the one that another is shown instead of, and the character sets."""

    screen: Screen
    behind: Screen | None = None
    graphics: tuple[bool, bool] = (False, False)
    """Whether each of the two character sets is the one for drawing lines."""
    is_shifted: bool = False
    saved: _Saved = field(default_factory=_Saved)

    def feed(self, orders: Iterable[Order]) -> None:
        """Carry out orders."""
        for name, argument in orders:
            if not name:
                self.screen.write(self._drawn(argument))
            elif act := ON_SCREEN.get(name):
                act(self.screen, numbers(argument))
            elif name in _ON_TERMINAL:
                _ON_TERMINAL[name](self, numbers(argument))

    def resize(self, size: Size) -> None:
        """Take another size."""
        for screen in (self.screen, self.behind):
            if screen and screen.size != size:
                screen.resize(size)

    def save(self, _: list[int]) -> None:
        """Remember the cursor."""
        screen = self.screen
        self.saved = _Saved(x=screen.x, y=screen.y, graphics=self.graphics, is_shifted=self.is_shifted)

    def restore(self, _: list[int]) -> None:
        """Go back to where the cursor was saved."""
        self.graphics, self.is_shifted = self.saved.graphics, self.saved.is_shifted
        self.screen.y = min(self.saved.y, self.screen.size.rows - 1)
        self.screen.to_column(self.saved.x)

    def reset(self, _: list[int]) -> None:
        """Begin anew; what has scrolled away stays told."""
        scrolled = (self.behind or self.screen).scrolled
        self.screen = Screen(size=self.screen.size, wraps=self.screen.wraps, scrolled=scrolled)
        self.behind, self.saved, self.is_shifted, self.graphics = None, _Saved(), False, (False, False)

    def set_modes(self, modes: list[int]) -> None:
        """Set private modes."""
        self._change(modes, is_set=True)

    def reset_modes(self, modes: list[int]) -> None:
        """Reset private modes."""
        self._change(modes, is_set=False)

    def shift(self, *, out: bool) -> None:
        """Choose between the two character sets."""
        self.is_shifted = out

    def choose(self, number: int, *, graphics: bool) -> None:
        """Choose what one of the two character sets is."""
        first, second = self.graphics
        self.graphics = (first, graphics) if number else (graphics, second)

    def _drawn(self, text: str) -> str:
        return text.translate(_GRAPHICS) if self.graphics[self.is_shifted] else text

    def _change(self, modes: list[int], *, is_set: bool) -> None:
        if _RELATIVE in modes:
            self.screen.is_relative = is_set
            self.screen.to_row(0)
            self.screen.to_column(0)
        if _GOES_ON in modes:
            self.screen.goes_on = is_set
        if _CURSOR in modes:
            (self.save if is_set else self.restore)([])
        if ALTERNATE & {*modes}:
            (self._step_aside if is_set else self._come_back)()

    def _step_aside(self) -> None:
        if self.behind is None:
            self.behind = self.screen
            self.screen = Screen(size=self.screen.size, wraps=self.screen.wraps, keeps=False)

    def _come_back(self) -> None:
        if self.behind is not None:
            self.screen, self.behind = self.behind, None


_ON_TERMINAL: Mapping[str, Callable[[Emulator, list[int]], None]] = {
    **dict.fromkeys(("7", "[s"), Emulator.save),
    **dict.fromkeys(("8", "[u"), Emulator.restore),
    "c": Emulator.reset,
    "[?h": Emulator.set_modes,
    "[?l": Emulator.reset_modes,
    "\x0e": lambda terminal, _: terminal.shift(out=True),
    "\x0f": lambda terminal, _: terminal.shift(out=False),
    "(0": lambda terminal, _: terminal.choose(0, graphics=True),
    ")0": lambda terminal, _: terminal.choose(1, graphics=True),
    **dict.fromkeys(("(A", "(B"), lambda terminal, _: terminal.choose(0, graphics=False)),
    **dict.fromkeys((")A", ")B"), lambda terminal, _: terminal.choose(1, graphics=False)),
}


def has_effect(name: str) -> bool:
    """Tell whether an order does anything to what is shown."""
    return not name or name in ON_SCREEN or name in _ON_TERMINAL
