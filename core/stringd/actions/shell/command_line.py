"""What the shell gets for a command line: a text that holds no value, and the values beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from stringd.actions.arguments.values import NUMBER, Value, as_text
from stringd.actions.placeholders import ReadFile
from stringd.actions.shell.analysis.cursor import Piece, Sibling
from stringd.actions.shell.analysis.syntax import COMPUTED, Place
from stringd.actions.shell.analysis.value_kinds import Demand
from stringd.actions.shell.slots import PREFIX, CommandLine
from stringd.errors import Refusal
from stringd.text.counts import counted

_PACKAGE = f"{PREFIX}PACKAGE"
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_SHOWN = 80


class CommandText:
    """A command line with references to values, and the environment that holds them."""

    def __init__(
        self, line: CommandLine, values: Mapping[str, Value], package: Path | None, read_file: ReadFile
    ) -> None:
        self.environment: dict[str, str] = {}
        # A value that stands in several places is passed on once: there is a limit to the whole environment.
        self._names: dict[str, str] = {}
        self._line = line
        self._values = values
        self._package = package
        self._read_file = read_file
        self.text = "".join(map(self._written, line.pieces))

    def _written(self, piece: Piece) -> str:
        if isinstance(piece, Place):
            return self._value(piece)
        return piece if isinstance(piece, str) else self._sibling(piece)

    def _value(self, place: Place) -> str:
        name, reading = place.slot.name, place.reading
        value = place.slot.taken_from(self._values.get(name), self._read_file)
        if value is None:
            return "" if place in self._line.vanishing else f"{reading.before}{reading.after}"
        text = as_text(value)
        demand = self._line.demands.get(place)
        if demand is Demand.WHOLE:
            number = _whole_number(name, text)
            return f"({number})" if number < 0 and reading is COMPUTED else str(number)
        self._refuse_unfit(name, text, demand)
        return f"{reading.before}${{{self._kept(name, text)}}}{reading.after}"

    def _refuse_unfit(self, name: str, text: str, demand: Demand | None) -> None:
        if demand is Demand.NO_OPTION and text.startswith("-"):
            message = f"{name}: the program would take {_told(text)} for an option."
            raise Refusal("INVALID_PARAMS", message, "Write a path with ./ before it.")
        is_declared = text in ("", *self._line.kinds.words.get(name, ())) or NUMBER.fullmatch(text)
        if demand is Demand.DECLARED and not is_declared:
            message = f"{name}: expected a number or one of the declared words, received {_told(text)}"
            raise Refusal("INVALID_PARAMS", message)

    def _kept(self, parameter: str, text: str) -> str:
        if "\0" in text:
            raise Refusal("INVALID_PARAMS", f"{parameter}: a command's argument can't hold a NUL character.")
        try:
            os.fsencode(text)
        except UnicodeEncodeError:
            raise Refusal(
                "INVALID_PARAMS", f"{parameter}: a text can't hold half a surrogate pair."
            ) from None
        name = self._names.setdefault(text, f"{PREFIX}{len(self._names) + 1}")
        self.environment[name] = text
        return name

    def _sibling(self, word: Sibling) -> str:
        if self._package is None or not _lies_in(self._package, word.path):
            return str(word)
        self.environment[_PACKAGE] = str(self._package)
        return f'"${{{_PACKAGE}}}"{word.quote}/{word.path}{word.quote}'


def _whole_number(parameter: str, text: str) -> int:
    """Return a number that the shell may compute with."""
    if not _WHOLE_NUMBER.fullmatch(text):
        message = f"{parameter}: the shell computes with it, so it must be a whole number, not {_told(text)}."
        raise Refusal("INVALID_PARAMS", message)
    return int(text)


def _told(text: str) -> str:
    # A default may be a secret, which nobody finds any more once it is cut.
    return repr(text) if len(text) <= _SHOWN else counted(len(text), "character")


def _lies_in(package: Path, path: str) -> bool:
    found = Path(os.path.realpath(package / path))
    return found.exists() and found.is_relative_to(os.path.realpath(package))
