"""Locate the statements of a TOML text, and change one of them without touching the rest."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

Path = tuple[str, ...]


class NotEditable(ValueError):
    """A value that can't be replaced separately; the text says where it is."""


class Statement(Struct, frozen=True):
    """A header or an assignment: its lines, counted from 1, its table, and its content."""

    first: int
    last: int
    table: Path
    is_header: bool
    content: dict[str, Any]

    def defines(self, path: Path) -> bool:
        """Whether this statement contains a value or a table."""
        if self.is_header:
            return self.table[: len(path)] == path
        rest = path[len(self.table) :]
        return self.table == path[: len(self.table)] and bool(rest) and _contains(self.content, rest)


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of a valid TOML text, whose ends tomllib determines."""
    lines = _lines(text)
    table: Path = ()
    number = 0
    while number < len(lines):
        length = _length(lines, number)
        content = tomllib.loads("\n".join(lines[number : number + length]))
        if content:
            is_header = lines[number].lstrip().startswith("[")
            if is_header:
                table = _only_path(content)
            yield Statement(number + 1, number + length, table, is_header, content)
        number += length


def line_of(text: str, path: Path) -> int | None:
    """Return the line where a value is defined, or else its table."""
    found = [it for it in statements(text) if it.defines(path)]
    assigned = [it for it in found if not it.is_header]
    return next((it.first for it in (*assigned, *found)), None)


def with_value(text: str, path: Path, value: object) -> str:
    """Return a valid TOML text with one value replaced or added, with the same line ends."""
    end = "\r\n" if "\r\n" in text else "\n"
    return end.join(_lines(_with_value(_lines(text), path, value)))


def _with_value(lines: list[str], path: Path, value: object) -> str:
    text = "\n".join(lines)
    known = list(statements(text))
    before = next((it for it in known if not it.is_header and it.defines(path)), None)
    if before:
        lines[before.first - 1 : before.last] = [_replacement(before, lines, path, value)]
        return "\n".join(lines)
    assignment = f"{_key(path[-1])} = {toml(value)}"
    beside = [it for it in known if it.table == path[:-1]]
    if beside:
        lines.insert(beside[-1].last, assignment)
        return "\n".join(lines)
    dotted = [it for it in known if not it.is_header and not it.table and it.defines(path[:-1])]
    if dotted:
        if _key_path(dotted[-1], lines) == path[:-1]:
            raise NotEditable(f"line {dotted[-1].first} has the whole table {path[-2]} in braces")
        lines.insert(dotted[-1].last, f"{'.'.join(map(_key, path))} = {toml(value)}")
        return "\n".join(lines)
    gap = "\n" if text.strip() else ""
    header = ".".join(map(_key, path[:-1]))
    return f"{text.rstrip()}\n{gap}[{header}]\n{assignment}\n".lstrip("\n")


def toml(value: object) -> str:
    """Return a boolean, a number, a text or a sequence of texts in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return str(value)


def _lines(text: str) -> list[str]:
    return [it.removesuffix("\r") for it in text.split("\n")]


def _length(lines: Sequence[str], start: int) -> int:
    """Return the number of lines of the statement at a line."""
    if _parses(lines[start : start + 1]):
        return 1
    for end in range(start + 1, len(lines)):
        # A statement of several lines ends with a bracket or three quotes.
        if any(it in lines[end] for it in ("]", '"""', "'''")) and _parses(lines[start : end + 1]):
            return end + 1 - start
    return len(lines) - start


def _parses(lines: Iterable[str]) -> bool:
    try:
        tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _only_path(content: Any) -> Path:
    """Return the path of a header's table."""
    path = []
    while isinstance(content, dict) and content:
        ((name, content),) = content.items()
        path.append(name)
        if isinstance(content, list):
            content = content[0]
    return tuple(path)


def _contains(content: Any, path: Path) -> bool:
    for name in path:
        if not isinstance(content, dict) or name not in content:
            return False
        content = content[name]
    return True


def _replacement(statement: Statement, lines: Sequence[str], path: Path, value: object) -> str:
    if statement.table + _key_path(statement, lines) != path:
        raise NotEditable(f"line {statement.first} has the whole table in braces")
    old = lines[statement.last - 1]
    comment = _comment(old, statement.content) if statement.first == statement.last else ""
    indent = lines[statement.first - 1][: -len(lines[statement.first - 1].lstrip())]
    keys = ".".join(map(_key, path[len(statement.table) :]))
    return f"{indent}{keys} = {toml(value)}{comment}"


def _key_path(statement: Statement, lines: Sequence[str]) -> Path:
    """Return the keys before the equals sign of an assignment."""
    line = lines[statement.first - 1]
    for place in (number for number, it in enumerate(line) if it == "="):
        if _parses([f"{line[:place]}= 0"]):
            return _only_path(tomllib.loads(f"{line[:place]}= {{}}"))
    return ()


def _comment(line: str, content: dict[str, Any]) -> str:
    """Return the comment behind a value, with the blanks before it."""
    for place in (number for number, it in enumerate(line) if it == "#"):
        before = line[:place]
        if _parses([before]) and tomllib.loads(before) == content:
            return line[len(before.rstrip()) :]
    return ""


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("-", "x").replace("_", "x").isalnum()
    return name if is_bare else toml(name)
