"""Parse what programs send to terminals (ECMA-48): text, control characters and sequences.

Every pattern takes time linear in the length of the text, whatever the text is. `plain_lines` and `stripped`
hold the interpreter's lock for one match at a time, so that a thread that runs them does not hold up others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

Instruction: TypeAlias = tuple[str, str]
"""An instruction to a terminal: its name and its argument.

Text has an empty name and is its own argument. The name of a sequence is the sequence without ESC and without
the parameters, which are the argument: `ESC [ ? 25 h` is `("[?h", "25")`, `ESC ( B` is `("(B", "")`.
"""

ALTERNATE = frozenset({47, 1047, 1049})
"""The private modes that switch to the alternate screen."""
_STRING = r"\x1b[\]PX^_][^\x07\x18\x1a\x1b]*+(?:\x07|\x1b\\)"
_CONTROL_SEQUENCE = r"\x1b\[(?P<private>[<-?]*+)(?P<parameters>[0-?]*+)(?P<final>[ -/]*+[@-~])"
# Of an unterminated string or sequence only the introducer is dropped, so that no text after it is lost.
_ESCAPE = r"\x1b(?P<escape>[ -/]*+[0-~])"
_TOKEN = re.compile(
    rf"{_STRING}|{_CONTROL_SEQUENCE}|{_ESCAPE}|(?P<ends>\r++\n?|\n)|(?P<control>[\0-\x1f\x7f-\x9f])"
)
_INVISIBLE = re.compile(
    rf"{_STRING}|\x1b\[[0-?]*+[ -/]*+[@-~]|\x1b[ -/]*+[0-~]|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_LINE_DRAWING = "\x1b(0"
# Sequences that move nothing: colours, strings, keypad modes, the default character set.
_STATIONARY = re.compile(rf"{_STRING}|\x1b\[[0-9;:]*+m|\x1b[=>]|\x1b\(B")
_LINE_ENDS = re.compile(r"\r++\n?")
_ANY_CONTROL = re.compile(r"[\0-\x1f\x7f-\x9f]")
_CONTROL = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f]+")
_MOVING = re.compile(r"[\b\v\f\r\x1b]")
_PRIVATE_MODE = re.compile(r"\x1b\[\?([0-9;]*+)([hl])")
LONGEST_UNFINISHED = 4096
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*+[ -/]*+|[\]PX^_][^\n\x07\x18\x1a\x1b]*+\x1b?|[ -/]*+)\Z")
_MOST_PARAMETERS = 16
_MOST = 9999
_MOST_DIGITS = 9


def parse(text: str) -> Iterator[Instruction]:
    """Return the instructions that a text gives to a terminal."""
    start = 0
    for match in _TOKEN.finditer(text):
        if match.start() > start:
            yield "", text[start : match.start()]
        start = match.end()
        if match["final"]:
            yield f"[{match['private']}{match['final']}", match["parameters"]
        elif name := match["escape"] or match["control"]:
            yield name, ""
        elif ends := match["ends"]:
            yield ends[-2:] if ends[-1] == "\n" else "\r", ""
    if start < len(text):
        yield "", text[start:]


def numbers(parameters: str) -> list[int]:
    """Return the parameters of a sequence; an omitted one is 0."""
    return [_number(part) for part in parameters.split(";", _MOST_PARAMETERS)[:_MOST_PARAMETERS]]


def private_modes(text: str) -> Iterator[tuple[int, bool]]:
    """Return the private modes that a text sets or resets, and which of the two."""
    for match in _PRIVATE_MODE.finditer(text):
        for number in numbers(match[1]):
            yield number, match[2] == "h"


def without_colours(text: str) -> str:
    """Remove the sequences that only change how text looks."""
    return text if "\x1b" not in text or _LINE_DRAWING in text else _STATIONARY.sub("", text)


def plain_lines(text: str) -> str | None:
    """Return what a terminal shows of a text that is made of lines only; None for any other text."""
    lines = text.replace("\r\r\n", "\r\n").replace("\r\n", "\n")
    return None if _MOVING.search(lines) else _replaced(_CONTROL, "", lines)


def stripped(text: str) -> str:
    """Remove everything but text; what a carriage return would have overwritten becomes a line of its own."""
    return _replaced(_LINE_ENDS, "\n", _replaced(_INVISIBLE, "", text))


def controls(text: str) -> int:
    """Count the control characters in a text."""
    return len(_ANY_CONTROL.findall(text))


def without_unfinished(text: str) -> tuple[str, str]:
    """Split off an incomplete sequence at the end of a text."""
    match = _UNFINISHED.search(text, max(len(text) - LONGEST_UNFINISHED, 0))
    return (text[: match.start()], match[0]) if match else (text, "")


def _replaced(pattern: re.Pattern[str], replacement: str, text: str) -> str:
    """Do what `pattern.sub` does, which would hold the interpreter's lock until all of a text is done."""
    pieces, start = [], 0
    for match in pattern.finditer(text):
        pieces.append(text[start : match.start()])
        start = match.end()
    pieces.append(text[start:])
    return replacement.join(pieces)


def _number(part: str) -> int:
    digits = part.partition(":")[0].strip("<=>?")
    if len(digits) > _MOST_DIGITS:
        return _MOST
    return min(int(digits), _MOST) if digits.isdecimal() else 0
