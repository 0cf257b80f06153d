"""JSON laid out for reading: its own text with line breaks, every number, name and order as it came."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NoReturn

import orjson

# One without an end goes on to the end of the text, lest it be looked for again from each of its quotes.
_STRING = r'(?s:"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z))'
_STRINGS = re.compile(_STRING)
_PIECE = re.compile(rf"{_STRING}|\[[ \t\n\r]*\]|\{{[ \t\n\r]*\}}|[\[\]{{}},:]|[^ \t\n\r\"\[\]{{}},:]+")
_ESCAPE = re.compile(r"((?:\\u[0-9a-fA-F]{4})+)|\\.")
_BLANK = " \t\n\r"
_INDENT = "  "
_DEEPER = {"[": 1, "{": 1, "]": -1, "}": -1, ",": 0}
_ALL_BUT_MARKS = re.compile(r"[^\[\]{},]+")
# What is laid out may take so many times the space, and this much more; else it stays as it is.
_GROWTH, _SPARE = 4, 100_000
_MOST_LINES = 50_000


class InvalidJson(ValueError):
    """A text that is no JSON, and where it ceases to be some."""

    def __init__(self, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}")
        self.line = line
        self.column = column


def laid_out(text: str) -> str:
    """Return JSON with a line for each value, or raise `InvalidJson`.

    It stays as it is where it is nested so deep that the indents would be most of it.
    """
    if _is_too_wide(text):
        return text.strip(_BLANK)
    text = _ESCAPE.sub(_unescaped, text) if "\\u" in text else text
    try:
        value = orjson.loads(text)
    except ValueError:
        return _checked_and_laid_out(text)
    written = _written(value)
    return written if _is_same(written, text) else "".join(_pieces(text))


def laid_out_lines(text: str) -> str:
    """Return JSON that has a value in each line with all of them laid out, or raise `InvalidJson`.

    Very many lines stay as they are.
    """
    if text.count("\n") > _MOST_LINES:
        return text.strip(_BLANK)
    return "\n".join(_laid_out_line(line, number) for number, line in enumerate(text.split("\n"), 1) if line)


def _laid_out_line(line: str, number: int) -> str:
    try:
        return laid_out(line) if line.strip(_BLANK) else ""
    except InvalidJson as invalid:
        raise InvalidJson(number, invalid.column) from None


def _is_too_wide(text: str) -> bool:
    marks = _ALL_BUT_MARKS.sub("", _STRINGS.sub("", text))
    if sum(map(_DEEPER.__getitem__, marks)) > 0:
        raise InvalidJson(text.count("\n") + 1, len(text) - text.rfind("\n"))
    depths = accumulate(map(_DEEPER.__getitem__, marks))
    return len(_INDENT) * sum(depths) > _GROWTH * len(text) + _SPARE


def _written(value: object) -> str:
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError:
        # It is nested too deep for it.
        return ""


def _is_same(one: str, other: str) -> bool:
    """Whether two JSON texts differ in nothing but blanks between the values."""
    return _STRINGS.findall(one) == _STRINGS.findall(other) and _unquoted(one) == _unquoted(other)


def _unquoted(text: str) -> str:
    return "".join(_STRINGS.sub('""', text).split())


def _checked_and_laid_out(text: str) -> str:
    """Lay out what is beyond the faster reader: half surrogate pairs, numbers without end, deep nesting."""
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
    except json.JSONDecodeError as invalid:
        raise InvalidJson(invalid.lineno, invalid.colno) from None
    except RecursionError:
        return text.strip(_BLANK)
    return "".join(_pieces(text))


def _refuse(constant: str) -> NoReturn:
    raise json.JSONDecodeError(constant, "", 0)


def _pieces(text: str) -> Iterator[str]:
    depth = 0
    for piece in _PIECE.findall(text):
        if piece == ",":
            yield f",\n{_INDENT * depth}"
        elif piece == ":":
            yield ": "
        elif piece in {"[", "{"}:
            depth += 1
            yield f"{piece}\n{_INDENT * depth}"
        elif piece in {"]", "}"}:
            depth -= 1
            yield f"\n{_INDENT * depth}{piece}"
        else:
            yield piece if piece[0] not in "[{" else piece[0] + piece[-1]


def _unescaped(found: re.Match[str]) -> str:
    """Return the characters that escapes stand for, as far as they are seen."""
    if not found[1]:
        return found[0]
    characters = bytes.fromhex(found[1].replace("\\u", "")).decode("utf-16-be", "surrogatepass")
    return "".join(it if _is_seen(it) else f"\\u{ord(it):04x}" for it in characters)


def _is_seen(character: str) -> bool:
    is_beyond = ord(character) > 0xFFFF
    return is_beyond or (character.isprintable() and character not in '"\\')
