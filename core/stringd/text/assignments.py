r"""What `/set` is given: `{x} = "v"` and `$X = "v"` lines, and fenced values of several lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from stringd.errors import Refusal

USAGE = 'Usage: /set {name} = "value"'
_NAME = r"(?:\{(?P<session>[A-Za-z_][\w-]*)\}|\$(?P<secret>[A-Za-z_]\w*))"
_LINE = re.compile(rf"[ \t]*{_NAME}[ \t]*=[ \t]*(?P<rest>.*)", re.ASCII | re.DOTALL)
_FENCE = re.compile(rf"(?P<fence>`{{3,}}){_NAME}[ \t]*", re.ASCII)
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"[ \t\r]*(?:\n|$)', re.DOTALL)
_SINGLE = re.compile(r"'([^']*)'[ \t\r]*(?:\n|$)")
_ESCAPED = re.compile(r'\\(["\\])')


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One value for one variable; `secret` ones are written `$NAME`."""

    name: str
    value: str
    secret: bool

    def __str__(self) -> str:
        name = f"${self.name}" if self.secret else f"{{{self.name}}}"
        return f'{name} = "{_one_line(self.value)}"'


def parse_assignments(text: str) -> tuple[Assignment, ...]:
    """Return every assignment of the text, or refuse it whole with `INVALID_PAYLOAD`."""
    return tuple(_parse(text))


def _parse(text: str) -> Iterator[Assignment]:
    while text.strip():
        text = text.lstrip("\r\n")
        fence = _FENCE.match(text)
        assignment, text = _fenced(fence, text) if fence else _quoted(text)
        yield assignment


def _quoted(text: str) -> tuple[Assignment, str]:
    line = _LINE.match(text)
    if line is None:
        raise Refusal("INVALID_PAYLOAD", f"Not an assignment: {_first_line(text)}", USAGE)
    rest = line["rest"]
    value = _DOUBLE.match(rest) or _SINGLE.match(rest)
    if value is None:
        raise Refusal("INVALID_PAYLOAD", f"The value needs quotes: {_first_line(text)}", USAGE)
    literal = _ESCAPED.sub(r"\1", value[1]) if rest.startswith('"') else value[1]
    return _assignment(line, literal), rest[value.end() :]


def _fenced(opening: re.Match[str], text: str) -> tuple[Assignment, str]:
    closing = re.compile(rf"^`{{{len(opening['fence'])},}}[ \t]*\r?$\n?", re.MULTILINE)
    start = text.find("\n", opening.end()) + 1
    end = closing.search(text, start) if start else None
    if end is None:
        raise Refusal("INVALID_PAYLOAD", f"The fence never closes: {_first_line(text)}", USAGE)
    if text[opening.end() : start].strip():
        raise Refusal("INVALID_PAYLOAD", f"Not an assignment: {_first_line(text)}", USAGE)
    return _assignment(opening, text[start : end.start()].removesuffix("\n")), text[end.end() :]


def _assignment(match: re.Match[str], value: str) -> Assignment:
    return Assignment(
        name=match["session"] or match["secret"], value=value, secret=match["secret"] is not None
    )


def _one_line(value: str) -> str:
    first, newline, rest = value.partition("\n")
    shown = first.replace("\\", "\\\\").replace('"', '\\"')
    return f"{shown} … ({rest.count(chr(10)) + 2} lines)" if newline else shown


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0].rstrip()
