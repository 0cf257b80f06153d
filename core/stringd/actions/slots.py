"""Where the values of a call stand in a command line.

No value becomes part of the text: it goes into the shell's environment, and the text refers to it in the way
that its place asks for. Wherever a place should ever be taken for another, the value is split into words,
but nothing of it is executed.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from stringd.actions.placeholders import Slot, find_slots
from stringd.actions.quoting import (
    COMMAND,
    DOUBLE,
    EXPANDED,
    LITERAL,
    PATTERNS,
    Frame,
    Reading,
    opened_by,
)

_QUOTES = re.compile(r"""\\(.)|['"]""")
_BEFORE_A_COMMAND = re.compile(r"(?:^|[;&|(){}!\n`]|\b(?:then|do|else|elif|if|while|until))\s*\Z")
_LONGEST_LEAD = 64
_DELIMITER = "END_OF_LINES_OF_STRINGD"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One place for a value, and how it is read by the shell."""

    slot: Slot
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Sibling:
    """A word `./path`, which may mean a file of the app's package: its quotes, if it has any, stay."""

    path: str
    quote: str

    def __str__(self) -> str:
        return f"{self.quote}./{self.path}{self.quote}"


Piece: TypeAlias = str | Place | Sibling


@lru_cache(maxsize=512)
def find_places(command: str, names: frozenset[str]) -> tuple[Piece, ...]:
    """Take a command line apart at the places for values of these names, and at the words `./path`."""
    return _Scanner(command, names).pieces()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heredoc:
    """Lines that are announced; `place` is where among the pieces the delimiter stands, if it is quoted."""

    delimiter: str
    tabs: bool
    place: int | None


class _Scanner:
    """Reads a command line once, from left to right."""

    def __init__(self, text: str, names: Container[str]) -> None:
        self._text = text
        self._names = names
        self._slots = list(reversed(list(find_slots(text, names))))
        self._frames = [Frame(COMMAND, "")]
        self._pieces: list[Piece] = []
        self._heredocs: list[_Heredoc] = []
        self._position = 0

    def pieces(self) -> tuple[Piece, ...]:
        self._read(len(self._text))
        return tuple(self._pieces)

    def _read(self, end: int) -> None:
        while self._position < end:
            token = PATTERNS[self._frames[-1].reading].search(self._text, self._position, end)
            slot = self._next_slot(token.start() if token else end)
            if slot:
                self._copy(slot.start)
                self._pieces.append(Place(slot=slot, reading=self._frames[-1].reading))
                self._position = slot.end
            elif token:
                self._copy(token.start())
                self._take(token)
            else:
                self._copy(end)

    def _next_slot(self, before: int) -> Slot | None:
        while self._slots and self._slots[-1].start < self._position:
            self._slots.pop()
        return self._slots.pop() if self._slots and self._slots[-1].start < before else None

    def _copy(self, end: int) -> None:
        if end > self._position:
            self._pieces.append(self._text[self._position : end])
        self._position = end

    def _take(self, token: re.Match[str]) -> None:
        frame = self._frames[-1]
        if token[0] == frame.closer:
            self._frames.pop()
        elif token.lastgroup in {"sibling", "heredoc", "newline", "case", "backticks"}:
            getattr(self, f"_take_{token.lastgroup}")(token)
        else:
            self._frames.extend(opened_by(token, frame.reading))
        self._copy(max(token.end(), self._position))

    def _take_sibling(self, token: re.Match[str]) -> None:
        quote = token[0][0] if token["bare"] is None else ""
        self._pieces.append(Sibling(path=token[0].strip(quote or None)[2:], quote=quote))
        self._position = token.end()

    def _take_case(self, token: re.Match[str]) -> None:
        # Up to `esac`, a closing parenthesis ends a pattern.
        lead = self._text[max(0, token.start() - _LONGEST_LEAD) : token.start()]
        if _BEFORE_A_COMMAND.search(lead):
            self._frames.append(Frame(COMMAND, "esac"))

    def _take_backticks(self, token: re.Match[str]) -> None:
        """Write backticks with a slot as `$( )`, whose quoting does not depend on what is around."""
        if next(find_slots(token[0], self._names), None) is None:
            return
        inner = _unescaped(token[0][1:-1], in_double=self._frames[-1].reading is DOUBLE)
        self._pieces += ["$(", *_Scanner(inner, self._names).pieces(), "\n)"]
        self._position = token.end()

    def _take_heredoc(self, token: re.Match[str]) -> None:
        delimiter = _QUOTES.sub(r"\1", token["delimiter"])
        is_quoted = delimiter != token["delimiter"]
        self._copy(token.start("delimiter"))
        place = len(self._pieces) if is_quoted else None
        self._heredocs.append(_Heredoc(delimiter=delimiter, tabs=bool(token["tabs"]), place=place))

    def _take_newline(self, token: re.Match[str]) -> None:
        self._copy(token.end())
        announced, self._heredocs = self._heredocs, []
        for heredoc in announced:
            self._read_lines(heredoc)

    def _read_lines(self, heredoc: _Heredoc) -> None:
        tabs = r"\t*" if heredoc.tabs else ""
        closing = re.compile(rf"^{tabs}{re.escape(heredoc.delimiter)}$", re.MULTILINE)
        found = closing.search(self._text, self._position)
        end = found.start() if found else len(self._text)
        first = len(self._pieces)
        self._frames.append(Frame(EXPANDED if heredoc.place is None else LITERAL, ""))
        depth = len(self._frames)
        self._read(end)
        del self._frames[depth - 1 :]
        if heredoc.place is not None and any(isinstance(it, Place) for it in self._pieces[first:]):
            self._let_expand(heredoc.place, first)
            self._position = found.end() if found else end
        self._copy(found.end() if found else end)

    def _let_expand(self, place: int, first: int) -> None:
        """Let the shell expand lines that it would take as they are: all but the values is escaped."""
        self._pieces[place] = _DELIMITER
        for number, piece in enumerate(self._pieces[first:], first):
            if isinstance(piece, str):
                self._pieces[number] = re.sub(r"[\\$`]", r"\\\g<0>", piece)
        self._pieces.append(_DELIMITER)


def _unescaped(text: str, *, in_double: bool) -> str:
    return re.sub(r'\\([$`"\\])' if in_double else r"\\([$`\\])", r"\1", text)
