"""JSON pretty-printing that changes only white space: numbers, names and order stay as written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NoReturn

import orjson

# An unterminated string matches to the end of the text, so that it is scanned only once.
_STRING = r'(?s:"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z))'
_STRINGS = re.compile(_STRING)
_PIECE = re.compile(rf"{_STRING}|\[[ \t\n\r]*\]|\{{[ \t\n\r]*\}}|[\[\]{{}},:]|[^ \t\n\r\"\[\]{{}},:]+")
_ESCAPE = re.compile(r"((?:\\u[0-9a-fA-F]{4})+)|\\.")
_BLANK = " \t\n\r"
_INDENT = "  "
_DEPTH_CHANGE = {"[": 1, "{": 1, "]": -1, "}": -1, ",": 0}
_NOT_STRUCTURE = re.compile(r"[^\[\]{},]+")
# Limits for the size of the result relative to the text; beyond, the text stays unchanged.
_MAX_GROWTH, _SLACK = 4, 100_000
_MAX_LINES = 50_000


class InvalidJson(ValueError):
    """Text that is not JSON, with the position of the error."""

    def __init__(self, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}")
        self.line = line
        self.column = column


def pretty_json(text: str) -> str:
    """Return JSON with a line for each value, or raise `InvalidJson`.

    Text nested so deep that indentation would dominate the result is returned unchanged.
    """
    if _would_be_too_wide(text):
        return text.strip(_BLANK)
    text = _ESCAPE.sub(_unescaped, text) if "\\u" in text else text
    try:
        value = orjson.loads(text)
    except ValueError:
        return _check_and_print(text)
    written = _written(value)
    return written if _is_same(written, text) else "".join(_pieces(text))


def pretty_json_lines(text: str) -> str:
    """Return JSON Lines with each value pretty-printed, or raise `InvalidJson`.

    Text with too many lines is returned unchanged.
    """
    if text.count("\n") > _MAX_LINES:
        return text.strip(_BLANK)
    return "\n".join(_pretty_line(line, number) for number, line in enumerate(text.split("\n"), 1) if line)


def _pretty_line(line: str, number: int) -> str:
    try:
        return pretty_json(line) if line.strip(_BLANK) else ""
    except InvalidJson as invalid:
        raise InvalidJson(number, invalid.column) from None


def _would_be_too_wide(text: str) -> bool:
    marks = _NOT_STRUCTURE.sub("", _STRINGS.sub("", text))
    if sum(map(_DEPTH_CHANGE.__getitem__, marks)) > 0:
        raise InvalidJson(text.count("\n") + 1, len(text) - text.rfind("\n"))
    depths = accumulate(map(_DEPTH_CHANGE.__getitem__, marks))
    return len(_INDENT) * sum(depths) > _MAX_GROWTH * len(text) + _SLACK


def _written(value: object) -> str:
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError:
        # orjson limits the nesting depth.
        return ""


def _is_same(one: str, other: str) -> bool:
    """Whether two JSON texts differ only in white space between the values."""
    return _STRINGS.findall(one) == _STRINGS.findall(other) and _unquoted(one) == _unquoted(other)


def _unquoted(text: str) -> str:
    return "".join(_STRINGS.sub('""', text).split())


def _check_and_print(text: str) -> str:
    """Pretty-print what orjson rejects: lone surrogates, huge numbers, deep nesting."""
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
    """Return the characters of escapes if they are printable."""
    if not found[1]:
        return found[0]
    characters = bytes.fromhex(found[1].replace("\\u", "")).decode("utf-16-be", "surrogatepass")
    return "".join(it if _is_printable(it) else f"\\u{ord(it):04x}" for it in characters)


def _is_printable(character: str) -> bool:
    is_beyond = ord(character) > 0xFFFF
    return is_beyond or (character.isprintable() and character not in '"\\')
