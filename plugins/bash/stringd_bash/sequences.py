"""The grammar of what programs send to terminals (ECMA-48): text, control characters, sequences.

Every pattern here takes time in proportion to the text, whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

Order: TypeAlias = tuple[str, str]
"""What a terminal is told: a name, and what goes with it.

The name of a text is empty, and the text goes with it. The name of a sequence is all of it but the first
character and the parameters: `ESC [ ? 25 h` is `("[?h", "25")`, `ESC ( B` is `("(B", "")`.
"""

_STRING = r"\x1b[\]PX^_][^\x07\x18\x1a\x1b]*+(?:\x07|\x1b\\)"
_CONTROL_SEQUENCE = r"\x1b\[(?P<private>[<-?]*+)(?P<parameters>[0-?]*+)(?P<final>[ -/]*+[@-~])"
# A string or a sequence that breaks off loses its beginning, so that none of the text behind it is lost.
_ESCAPE = r"\x1b(?P<escape>[ -/]*+[0-~])"
_TOKEN = re.compile(
    rf"{_STRING}|{_CONTROL_SEQUENCE}|{_ESCAPE}|(?P<ends>\r++\n?|\n)|(?P<control>[\0-\x1f\x7f-\x9f])"
)
_UNSEEN = re.compile(
    rf"{_STRING}|\x1b\[[0-?]*+[ -/]*+[@-~]|\x1b[ -/]*+[0-~]|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_DRAWING = "\x1b(0"
# Colours and what else leaves everything where it is: strings, keypad modes, the usual character set.
_UNMOVING = re.compile(rf"{_STRING}|\x1b\[[0-9;:]*+m|\x1b[=>]|\x1b\(B")
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


def read(text: str) -> Iterator[Order]:
    """Return what a text tells a terminal to do, in its order."""
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
    """Return a sequence's parameters; one that is left out is 0."""
    return [_number(part) for part in parameters.split(";", _MOST_PARAMETERS)[:_MOST_PARAMETERS]]


def private_modes(text: str) -> Iterator[tuple[int, bool]]:
    """Return the modes of its own that a text sets, or resets, in a terminal."""
    for match in _PRIVATE_MODE.finditer(text):
        for number in numbers(match[1]):
            yield number, match[2] == "h"


def without_colours(text: str) -> str:
    """Return lines without the sequences that change nothing but their looks."""
    return text if "\x1b" not in text or _DRAWING in text else _UNMOVING.sub("", text)


def unmoved(text: str) -> str | None:
    """Return what a terminal shows of a text that consists of lines and nothing else; None for any other."""
    lines = text.replace("\r\r\n", "\r\n").replace("\r\n", "\n")
    return None if _MOVING.search(lines) else _CONTROL.sub("", lines)


def stripped(text: str) -> str:
    """Return a text without what is not text; what was to be drawn over is a line of its own."""
    return _LINE_ENDS.sub("\n", _UNSEEN.sub("", text))


def controls(text: str) -> int:
    """Count the control characters of a text."""
    return len(_ANY_CONTROL.findall(text))


def without_unfinished(text: str) -> tuple[str, str]:
    """Split off a sequence at the end of a text whose rest has not come yet."""
    match = _UNFINISHED.search(text, max(len(text) - LONGEST_UNFINISHED, 0))
    return (text[: match.start()], match[0]) if match else (text, "")


def _number(part: str) -> int:
    digits = part.partition(":")[0].strip("<=>?")
    if len(digits) > _MOST_DIGITS:
        return _MOST
    return min(int(digits), _MOST) if digits.isdecimal() else 0
