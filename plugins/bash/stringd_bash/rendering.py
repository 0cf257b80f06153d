"""What a program's output looks like on a terminal: pure work, done wherever there is time for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from stringd_bash.buffer import OUTPUT_LIMIT
from stringd_bash.emulator import ALTERNATE, Emulator, has_effect
from stringd_bash.screen import Screen
from stringd_bash.screen_actions import IN_LINE, OF_NO_MATTER
from stringd_bash.sections import section
from stringd_bash.sequences import Order, controls, numbers, private_modes, read, stripped
from stringd_bash.size import Size

_ABOVE = "output before the screen"
_ALL = frozenset({2, 3})
_LINE_ENDS = frozenset({"\n", "\r\n"})
_STAYING = frozenset({"", "\t", "[K"})
# Nanoseconds: a control character and the text behind it, another character, in ASCII or not, a copied cell,
# a new row, a copied address of one, a cell that is shown in the end.
_CONTROL, _CHARACTER, _WIDE, _CELL, _ROW, _ADDRESS, _SHOWN = 7000, 30, 1500, 1, 150, 3, 30


@dataclass(slots=True)
class Display:
    """What one reply leaves for the next: the modes that are set, and the screen once there is one."""

    terminal: Emulator | None = None
    is_aside: bool = False
    """Whether the program shows the alternate screen."""
    modes: set[int] = field(default_factory=set)

    @property
    def shows_lines(self) -> bool:
        """Whether nothing but lines has been shown yet."""
        return self.terminal is None and not self.is_aside


def render(display: Display, text: str, size: Size) -> tuple[str, Display]:
    """Return what a terminal shows of a text: lines, or the screen when a program uses it as one."""
    follow_modes(display, text)
    orders = [order for order in read(text) if has_effect(order[0])]
    was_aside = display.is_aside
    here, display.is_aside = _without_asides(orders, was_aside)
    is_screen = display.is_aside or any(map(_addresses, here))
    if display.terminal is None and not is_screen:
        return _limited(_lines(here, size)), display
    first = 0 if display.terminal else _first_clearing(orders)
    above = orders if display.is_aside else orders[:first]
    picture = _picture(display, above, orders[len(above) :], size)
    if not is_screen:
        return _limited(_lines(here, size)), display
    shown = section(_ABOVE, _lines(_without_asides(above, was_aside)[0], size).strip("\n"))
    return _limited("\n".join(part for part in (shown, picture) if part)), display


def follow_modes(display: Display, text: str) -> None:
    """Note which modes are set when a text has been taken in."""
    for mode, is_set in private_modes(text):
        (display.modes.add if is_set else display.modes.discard)(mode)


def give_up(display: Display, text: str) -> tuple[str, Display]:
    """Return a text as it is, and a display without the screen that nobody has seen."""
    follow_modes(display, text)
    return stripped(text), Display(is_aside=bool(display.modes & ALTERNATE), modes=display.modes)


def most_nanoseconds(text: str, size: Size) -> int:
    """Return how long rendering a text takes at most, in whatever order its characters come.

    A sequence costs at most what making a new screen costs, and copying the longest line that there can be;
    what goes on in a new row costs at most a copy of the rows' addresses.
    """
    sequences = text.count("\x1b")
    cells = 2 * size.area + 8 * len(text) + sequences * size.columns
    steps = controls(text) + 2 * len(text) // size.columns
    drawing = len(text) * (_CHARACTER if text.isascii() else _WIDE)
    making = sequences * (cells * _CELL + size.rows * _ROW)
    return steps * (_CONTROL + size.rows * _ADDRESS) + making + drawing + size.area * _SHOWN


def _addresses(order: Order) -> bool:
    """Tell whether an order only makes sense to someone who sees a screen."""
    return order[0] in {"[H", "[f", "[d", "[r", "#8"} or _clears(order)


def _clears(order: Order) -> bool:
    name, argument = order
    return name == "c" or (name == "[J" and numbers(argument)[0] in _ALL)


def _first_clearing(orders: Sequence[Order]) -> int:
    """Return where a screen takes the place of what was shown, which nobody could see then."""
    for number, order in enumerate(orders):
        is_home = order[0] == "[H" and not any(numbers(order[1]))
        if _clears(order) or (is_home and orders[number + 1 : number + 2] and orders[number + 1][0] == "[J"):
            return number
    return 0


def _without_asides(orders: Sequence[Order], is_aside: bool) -> tuple[list[Order], bool]:
    """Leave out what is shown on the alternate screen, and tell whether that is shown at the end."""
    here: list[Order] = []
    for order in orders:
        if order[0] in {"[?h", "[?l"} and ALTERNATE & {*numbers(order[1])}:
            is_aside = order[0] == "[?h"
        elif not is_aside:
            here.append(order)
    return here, is_aside


def _picture(display: Display, above: Sequence[Order], orders: Sequence[Order], size: Size) -> str:
    """Return the screen; what scrolls away before it is told without it."""
    terminal = display.terminal = display.terminal or Emulator(Screen(size=size))
    terminal.resize(size)
    terminal.feed(above)
    terminal.screen.scrolled = []
    terminal.feed(orders)
    return terminal.screen.picture()


def _lines(orders: Sequence[Order], size: Size) -> str:
    """Return lines as they are when all that moves back in them has done so."""
    simple = [order for order in orders if order[0] not in OF_NO_MATTER]
    if all(name in _LINE_ENDS or name in IN_LINE for name, _ in simple):
        return "\n".join(_line(line, size) for line in _split(simple))
    terminal = Emulator(Screen(size=size, wraps=False))
    terminal.feed(orders)
    return terminal.screen.picture()


def _split(orders: Sequence[Order]) -> Iterator[list[Order]]:
    line: list[Order] = []
    for order in orders:
        if order[0] in _LINE_ENDS:
            yield line
            line = []
        else:
            line.append(order)
    yield line


def _line(orders: list[Order], size: Size) -> str:
    while orders and orders[-1][0] == "\r":
        orders.pop()
    if all(name in _STAYING and argument in {"", "0"} for name, argument in orders if name):
        return "".join(name or argument for name, argument in orders if name != "[K")
    terminal = Emulator(Screen(size=Size(columns=size.columns, rows=1), wraps=False))
    terminal.feed(orders)
    return terminal.screen.picture()


def _limited(text: str) -> str:
    """Keep the head and the tail of more than a reply holds: a few orders may fill many cells."""
    excess = len(text) - OUTPUT_LIMIT
    if excess <= 0:
        return text
    half = OUTPUT_LIMIT // 2
    return f"{text[:half]}\n[... {excess} characters of output left out ...]\n{text[-half:]}"
