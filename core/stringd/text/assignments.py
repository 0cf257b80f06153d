r"""Parses the assignments of `/set`: `{x} = "v"` and `$X = "v"` lines, and fenced values of several lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from stringd.errors import ErrorCode, Refusal
from stringd.text.masking import MASK, masked_assignment

USAGE = 'Usage: /set {name} = "value"'
_SHOWN = 80
_NAME = r"(?:\{(?P<session>[A-Za-z_][\w-]*)\}|\$(?P<secret>[A-Za-z_]\w*))"
_BLANK = re.compile(r"\s*")
_TARGET = re.compile(rf"{_NAME}[ \t]*=[ \t]*", re.ASCII)
_FENCE = re.compile(rf"(?P<fence>`{{3,}}){_NAME}[ \t]*\r?\n", re.ASCII)
_CLOSING = re.compile(r"^(?P<fence>`{3,})[ \t]*\r?$\n?", re.MULTILINE)
_QUOTED = re.compile(r"""(?:"(?P<double>[^"\\]*(?:\\.[^"\\]*)*)"|'(?P<single>[^']*)')""", re.DOTALL)
_LINE_END = re.compile(r"[ \t\r]*(?:\n|\Z)")
_ESCAPED = re.compile(r'\\(["\\])')


class Assignment(Struct, frozen=True, kw_only=True):
    """One value for one variable; `secret` ones are written `$NAME`."""

    name: str
    value: str
    secret: bool

    @property
    def target(self) -> str:
        """The variable as it is written: `$NAME` or `{name}`."""
        return f"${self.name}" if self.secret else f"{{{self.name}}}"

    def __str__(self) -> str:
        return f'{self.target} = "{_one_line(self.value)}"'


def parse_assignments(text: str) -> tuple[Assignment, ...]:
    """Return all assignments of the text; raise a `Refusal` if any part of it is invalid."""
    if "\0" in text:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "A value can't hold a NUL character.")
    return tuple(_parse(text))


def hidden(assignment: Assignment) -> Assignment:
    """Return the assignment with its value masked."""
    return replace(assignment, value=MASK)


def _parse(text: str) -> Iterator[Assignment]:
    position = _skip_blank(text, 0)
    while position < len(text):
        read = _fenced if text.startswith("```", position) else _quoted
        assignment, end = read(text, position)
        yield assignment
        position = _skip_blank(text, end)


def _skip_blank(text: str, position: int) -> int:
    blank = _BLANK.match(text, position)
    return blank.end() if blank else position


def _quoted(text: str, position: int) -> tuple[Assignment, int]:
    target = _TARGET.match(text, position)
    if target is None:
        raise _refusal("Not an assignment", text, position)
    value = _QUOTED.match(text, target.end())
    if value is None:
        raise _refusal("The value needs quotes", text, position)
    end = _LINE_END.match(text, value.end())
    if end is None:
        raise _refusal("Something follows the value", text, position)
    double = value["double"]
    literal = value["single"] if double is None else _ESCAPED.sub(r"\1", double)
    return _assignment(target, literal), end.end()


def _fenced(text: str, position: int) -> tuple[Assignment, int]:
    opening = _FENCE.match(text, position)
    if opening is None:
        raise _refusal("Not an assignment", text, position)
    for closing in _CLOSING.finditer(text, opening.end()):
        if len(closing["fence"]) >= len(opening["fence"]):
            value = text[opening.end() : closing.start()].removesuffix("\n")
            return _assignment(opening, value), closing.end()
    raise _refusal("The fence never closes", text, position)


def _assignment(match: re.Match[str], value: str) -> Assignment:
    return Assignment(
        name=match["session"] or match["secret"], value=value, secret=match["secret"] is not None
    )


def _refusal(problem: str, text: str, position: int) -> Refusal:
    line = masked_assignment(text[position:].partition("\n")[0].rstrip())[:_SHOWN]
    return Refusal(ErrorCode.INVALID_PAYLOAD, f"{problem}: {line}", USAGE)


def _one_line(value: str) -> str:
    first, newline, rest = value.partition("\n")
    shown = first.replace("\\", "\\\\").replace('"', '\\"')
    return f"{shown} … ({rest.count(chr(10)) + 2} lines)" if newline else shown
