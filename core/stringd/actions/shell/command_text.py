"""Build the text and the environment of a shell command: values go into variables, never into the text."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from stringd.actions.shell.analysed_command import PREFIX, AnalysedCommand
from stringd.actions.shell.analysis.shell_syntax import (
    ARITHMETIC,
    BARE,
    NestedText,
    Piece,
    PlaceholderPart,
    QuotingContext,
    SiblingFile,
    mark_of,
)
from stringd.actions.shell.analysis.value_constraints import Constraint
from stringd.actions.values.placeholders import ReadFile
from stringd.actions.values.typed_values import NUMBER, Value, as_text
from stringd.errors import ErrorCode, Refusal
from stringd.text.formatting import counted

_PACKAGE = f"{PREFIX}PACKAGE"
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_SHOWN = 80


class CommandText:
    """A command line that refers to its values by variables, and the environment with these variables."""

    def __init__(
        self, line: AnalysedCommand, values: Mapping[str, Value], package: Path | None, read_file: ReadFile
    ) -> None:
        self.environment: dict[str, str] = {}
        # A value that is used several times is passed once, since the size of the environment is limited.
        self._names: dict[str, str] = {}
        self._line = line
        self._values = values
        self._package = package
        self._read_file = read_file
        self.text = "".join(map(self._written, line.pieces))

    def _written(self, piece: Piece) -> str:
        match piece:
            case PlaceholderPart():
                return self._value(piece, piece.quoting)
            case SiblingFile():
                return self._sibling(piece)
            case NestedText():
                return self._nested(piece)
        return piece

    def _nested(self, word: NestedText) -> str:
        """Return the word in single quotes, which it leaves only for references to values."""
        text = _single_quoted("".join(map(self._inside, word.pieces)))
        for number, part in enumerate(word.values):
            text = text.replace(mark_of(number), f"'{self._value(part, BARE)}'")
        return text

    def _inside(self, piece: Piece) -> str:
        """Return a piece of nested commands, which need not have the variables of this shell."""
        if isinstance(piece, SiblingFile) and (path := self._path_in_package(piece)):
            return shlex.quote(path)
        return self._nested(piece) if isinstance(piece, NestedText) else str(piece)

    def _value(self, part: PlaceholderPart, quoting: QuotingContext) -> str:
        value = part.placeholder.resolve(self._values.get(part.placeholder.name), self._read_file)
        if value is None:
            return "" if part in self._line.omittable else f"{quoting.before}{quoting.after}"
        if isinstance(value, tuple) and part in self._line.several:
            return " ".join(self._reference(part, it, quoting) for it in value)
        return self._reference(part, as_text(value), quoting)

    def _reference(self, part: PlaceholderPart, text: str, quoting: QuotingContext) -> str:
        """Return the reference to a value, or the number itself where the shell calculates with it."""
        name = part.placeholder.name
        constraint = self._line.constraints.get(part)
        if constraint is Constraint.WHOLE:
            number = _whole_number(name, text)
            return f"({number})" if number < 0 and quoting is ARITHMETIC else str(number)
        self._require_constraint(name, text, constraint)
        return f"{quoting.before}${{{self._variable(name, text)}}}{quoting.after}"

    def _require_constraint(self, name: str, text: str, constraint: Constraint | None) -> None:
        if constraint is Constraint.NO_OPTION and text.startswith("-"):
            message = f"{name}: the program would take {_describe(text)} as an option."
            raise Refusal(ErrorCode.INVALID_PARAMS, message, "Write a path with ./ before it.")
        is_declared = text in ("", *self._line.kinds.words.get(name, ())) or NUMBER.fullmatch(text)
        if constraint is Constraint.DECLARED and not is_declared:
            message = f"{name}: expected a number or one of the declared words, received {_describe(text)}"
            raise Refusal(ErrorCode.INVALID_PARAMS, message)

    def _variable(self, parameter: str, text: str) -> str:
        if "\0" in text:
            raise Refusal(
                ErrorCode.INVALID_PARAMS, f"{parameter}: a command's argument can't hold a NUL character."
            )
        try:
            os.fsencode(text)
        except UnicodeEncodeError:
            raise Refusal(
                ErrorCode.INVALID_PARAMS, f"{parameter}: a text can't contain a lone surrogate."
            ) from None
        name = self._names.setdefault(text, f"{PREFIX}{len(self._names) + 1}")
        self.environment[name] = text
        return name

    def _path_in_package(self, word: SiblingFile) -> str | None:
        if self._package is None or not _is_in_package(self._package, word.path):
            return None
        return f"{self._package}/{word.path}"

    def _sibling(self, word: SiblingFile) -> str:
        if self._path_in_package(word) is None:
            return str(word)
        self.environment[_PACKAGE] = str(self._package)
        return f'"${{{_PACKAGE}}}"{word.quote}/{word.path}{word.quote}'


def _whole_number(parameter: str, text: str) -> int:
    """Return an integer that the shell can calculate with, or refuse."""
    if not _WHOLE_NUMBER.fullmatch(text):
        need = "the shell does arithmetic with it, so it must be a whole number"
        raise Refusal(ErrorCode.INVALID_PARAMS, f"{parameter}: {need}, not {_describe(text)}.")
    return int(text)


def _describe(text: str) -> str:
    # A long text is not quoted in part: a default may be a secret, which masking only finds as a whole.
    return repr(text) if len(text) <= _SHOWN else counted(len(text), "character")


def _single_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _is_in_package(package: Path, path: str) -> bool:
    found = Path(os.path.realpath(package / path))
    return found.exists() and found.is_relative_to(os.path.realpath(package))
