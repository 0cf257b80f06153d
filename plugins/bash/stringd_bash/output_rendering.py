"""Render a program's output as a terminal shows it: pure functions that also run in workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from stringd.plugin.terminal import (
    ALTERNATE,
    Instruction,
    controls,
    numbers,
    parse,
    private_modes,
    stripped,
)
from stringd.plugin.text import limited
from stringd_bash.screen import Screen
from stringd_bash.screen_actions import IGNORED_IN_LINES, WITHIN_LINE
from stringd_bash.screen_emulator import Emulator, has_effect
from stringd_bash.terminal_size import Size

_ABOVE = "output before the screen"
_ALL = frozenset({2, 3})
_LINE_ENDS = frozenset({"\n", "\r\n"})
_STAYING = frozenset({"", "\t", "[K"})
# Costs in nanoseconds: a control character with the text after it, another ASCII character, any other
# character, copying a cell, making a row, copying a reference to a row, converting a cell to text at the end.
_CONTROL, _CHARACTER, _WIDE, _CELL, _ROW, _ADDRESS, _SHOWN = 7000, 30, 1500, 1, 150, 3, 30


class Display(Struct):
    """What one reply leaves to the next: the modes that are set, and the screen once there is one."""

    terminal: Emulator | None = None
    is_alternate: bool = False
    """Whether the alternate screen is shown."""
    modes: set[int] = field(default_factory=set)

    @property
    def shows_lines(self) -> bool:
        """Whether nothing but lines has been shown yet."""
        return self.terminal is None and not self.is_alternate


def render(display: Display, text: str, size: Size) -> tuple[str, Display]:
    """Return what a terminal shows of a text: lines, or the screen when the program uses it as one."""
    _update_modes(display, text)
    instructions = [it for it in parse(text) if has_effect(it[0])]
    was_alternate = display.is_alternate
    on_main, display.is_alternate = _without_alternate(instructions, was_alternate)
    is_screen = display.is_alternate or any(map(_needs_screen, on_main))
    if display.terminal is None and not is_screen:
        return limited(_lines(on_main, size)), display
    first = 0 if display.terminal else _first_clearing(instructions)
    above = instructions if display.is_alternate else instructions[:first]
    picture = _picture(display, above, instructions[len(above) :], size)
    if not is_screen:
        return limited(_lines(on_main, size)), display
    shown = section(_ABOVE, _lines(_without_alternate(above, was_alternate)[0], size).strip("\n"))
    return limited("\n".join(part for part in (shown, picture) if part)), display


def plain_text(display: Display, text: str) -> tuple[str, Display]:
    """Return a text that can't be rendered without its sequences, and a display without a screen."""
    _update_modes(display, text)
    modes = display.modes
    return stripped(text), Display(is_alternate=bool(modes & ALTERNATE), modes=modes)


def most_nanoseconds(text: str, size: Size) -> int:
    """Return an upper bound for the time that rendering a text takes, in whatever order its characters come.

    A sequence costs at most what making a new screen and copying the longest possible line cost; wrapping
    into a new row costs at most copying the references to all rows.
    """
    sequences = text.count("\x1b")
    cells = 2 * size.area + 8 * len(text) + sequences * size.columns
    steps = controls(text) + 2 * len(text) // size.columns
    drawing = len(text) * (_CHARACTER if text.isascii() else _WIDE)
    making = sequences * (cells * _CELL + size.rows * _ROW)
    return steps * (_CONTROL + size.rows * _ADDRESS) + making + drawing + size.area * _SHOWN


def _update_modes(display: Display, text: str) -> None:
    for mode, is_set in private_modes(text):
        (display.modes.add if is_set else display.modes.discard)(mode)


def _needs_screen(instruction: Instruction) -> bool:
    """Tell whether an instruction makes sense only where a screen is seen."""
    return instruction[0] in {"[H", "[f", "[d", "[r", "#8"} or _clears(instruction)


def _clears(instruction: Instruction) -> bool:
    name, argument = instruction
    return name == "c" or (name == "[J" and numbers(argument)[0] in _ALL)


def _first_clearing(instructions: Sequence[Instruction]) -> int:
    """Return the index of the instruction that clears the screen first; 0 if there is none."""
    for index, it in enumerate(instructions):
        is_home = it[0] == "[H" and not any(numbers(it[1]))
        following = instructions[index + 1 : index + 2]
        if _clears(it) or (is_home and following and following[0][0] == "[J"):
            return index
    return 0


def _without_alternate(
    instructions: Sequence[Instruction], is_alternate: bool
) -> tuple[list[Instruction], bool]:
    """Leave out what goes to the alternate screen; also return whether that is shown at the end."""
    on_main: list[Instruction] = []
    for it in instructions:
        if it[0] in {"[?h", "[?l"} and ALTERNATE & {*numbers(it[1])}:
            is_alternate = it[0] == "[?h"
        elif not is_alternate:
            on_main.append(it)
    return on_main, is_alternate


def _picture(
    display: Display, above: Sequence[Instruction], instructions: Sequence[Instruction], size: Size
) -> str:
    """Return the screen, without the rows that `above` has scrolled off it."""
    terminal = display.terminal = display.terminal or Emulator(Screen(size=size))
    terminal.resize(size)
    terminal.feed(above)
    terminal.screen.scrolled = []
    terminal.feed(instructions)
    return terminal.screen.picture()


def _lines(instructions: Sequence[Instruction], size: Size) -> str:
    """Return lines of any length as they look after all movements within them."""
    relevant = [it for it in instructions if it[0] not in IGNORED_IN_LINES]
    if all(name in _LINE_ENDS or name in WITHIN_LINE for name, _ in relevant):
        return "\n".join(_line(line, size) for line in _split(relevant))
    terminal = Emulator(Screen(size=size, wraps=False))
    terminal.feed(instructions)
    return terminal.screen.picture()


def _split(instructions: Sequence[Instruction]) -> Iterator[list[Instruction]]:
    line: list[Instruction] = []
    for it in instructions:
        if it[0] in _LINE_ENDS:
            yield line
            line = []
        else:
            line.append(it)
    yield line


def _line(instructions: list[Instruction], size: Size) -> str:
    while instructions and instructions[-1][0] == "\r":
        instructions.pop()
    if all(name in _STAYING and argument in {"", "0"} for name, argument in instructions if name):
        return "".join(name or argument for name, argument in instructions if name != "[K")
    terminal = Emulator(Screen(size=Size(columns=size.columns, rows=1), wraps=False))
    terminal.feed(instructions)
    return terminal.screen.picture()


def section(title: str, text: str) -> str:
    """Frame text that the program of this reply did not print; return nothing for no text."""
    return f"[{title}]\n{text}\n[end of {title}]" if text else ""
