"""Answer what programs ask of their terminal: they would wait for the answer."""

from __future__ import annotations

import codecs
import itertools
import re
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from stringd.plugin.terminal import parse, without_unfinished
from stringd_bash.output_rendering import most_nanoseconds
from stringd_bash.screen import Screen
from stringd_bash.screen_emulator import Emulator
from stringd_bash.terminal_size import Size

_QUERY = re.compile(
    r"\x1b(?:(?P<id>Z)|\[(?P<private>[?>=]?)(?P<parameters>[0-9;]{0,8}+)(?P<final>\$p|[cnqt])"
    r"|\](?P<colour>1[0-2]);\?(?P<end>\x07|\x1b\\)|P\+q[0-9A-Fa-f;]*+\x1b\\)"
)
# No program that reads the answers asks more at once.
_MOST = 32
_MOST_NANOSECONDS = 5_000_000
_CELL_WIDTH, _CELL_HEIGHT = 8, 16
_COLOURS = {"10": "ffff/ffff/ffff", "11": "0000/0000/0000", "12": "ffff/ffff/ffff"}
_ATTRIBUTES = "\x1b[?6c"
# Not the version of an xterm: programs would go on to ask for what only xterm has.
_SECONDARY_ATTRIBUTES = "\x1b[>0;100;0c"
_TERTIARY_ATTRIBUTES = "\x1bP!|00000000\x1b\\"
_UNKNOWN_CAPABILITY = "\x1bP0+r\x1b\\"


class _Asked(Struct, frozen=True):
    """A query with numbers, the terminal's size, and where the cursor is."""

    parameters: str
    size: Size
    row: int
    column: int


class TerminalQueries:
    """Finds queries in output that comes in pieces."""

    def __init__(self) -> None:
        self._unfinished = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def answers(self, data: bytes, size: Size) -> bytes:
        """Return the answers to the queries that end in a piece of output."""
        if not self._unfinished and b"\x1b" not in data:
            return b""
        text, self._unfinished = without_unfinished(self._unfinished + self._decoder.decode(data))
        return "".join(_answers(text, size)).encode("latin-1") if _QUERY.search(text) else b""


def _answers(text: str, size: Size) -> Iterator[str]:
    """Answer queries; the cursor is where the text leads to from the upper left corner."""
    emulator, start = Emulator(Screen(size=size)), 0
    moves = most_nanoseconds(text, size) <= _MOST_NANOSECONDS
    for query in itertools.islice(_QUERY.finditer(text), _MOST):
        emulator.feed(parse(text[start : query.start()] if moves else ""))
        start = query.end()
        screen = emulator.screen
        yield _answer(query, size, screen.y + 1, min(screen.x + 1, size.columns))


def _answer(query: re.Match[str], size: Size, row: int, column: int) -> str:
    if query["final"]:
        answer = _CONTROL_SEQUENCES.get(query["private"] + query["final"])
        return answer(_Asked(query["parameters"], size, row, column)) if answer else ""
    if colour := query["colour"]:
        return f"\x1b]{colour};rgb:{_COLOURS[colour]}{query['end']}"
    return _ATTRIBUTES if query["id"] else _UNKNOWN_CAPABILITY


def _status(asked: _Asked) -> str:
    return {"5": "\x1b[0n", "6": f"\x1b[{asked.row};{asked.column}R"}.get(asked.parameters, "")


def _extended_position(asked: _Asked) -> str:
    return f"\x1b[?{asked.row};{asked.column}R" if asked.parameters == "6" else ""


def _window(asked: _Asked) -> str:
    rows, columns = asked.size.rows, asked.size.columns
    return {
        "14": f"\x1b[4;{rows * _CELL_HEIGHT};{columns * _CELL_WIDTH}t",
        "16": f"\x1b[6;{_CELL_HEIGHT};{_CELL_WIDTH}t",
        "18": f"\x1b[8;{rows};{columns}t",
    }.get(asked.parameters, "")


def _if_zero(answer: str) -> Callable[[_Asked], str]:
    return lambda asked: answer if asked.parameters in {"", "0"} else ""


_CONTROL_SEQUENCES: Mapping[str, Callable[[_Asked], str]] = {
    "c": _if_zero(_ATTRIBUTES),
    ">c": _if_zero(_SECONDARY_ATTRIBUTES),
    "=c": _if_zero(_TERTIARY_ATTRIBUTES),
    ">q": _if_zero("\x1bP>|stringd\x1b\\"),
    "n": _status,
    "?n": _extended_position,
    "t": _window,
    # 0 stands for a mode that is not known: which are set is not followed here.
    "$p": lambda asked: f"\x1b[{asked.parameters};0$y",
    "?$p": lambda asked: f"\x1b[?{asked.parameters};0$y",
}
"""The answers to control sequences, by their private marker and their end."""
