"""Split a command into header (its first line) and body, and create its label."""

from __future__ import annotations

import re

from stringd.api.commands import CommandLine
from stringd.text.escaping import without_controls
from stringd.text.masking import MASK

LABEL_LENGTH = 80
LONGEST_HEAD = 4096
_CUT = "..."
_SLASH = "/"
_LINE_END, _RETURN = "\n", "\r"
_HEADER = re.compile(r"//?(\S*)\s*(.*)", re.DOTALL)


def trimmed(text: str) -> str:
    """Return a text as sent, without the blanks around it; blank lines that end a body stay."""
    inside = text.strip()
    keeps_blanks = inside.startswith(_SLASH) and _LINE_END in inside
    blanks = _blank_lines(text) if keeps_blanks else ""
    return f"{inside}{blanks}{_LINE_END}" if blanks else inside


def parse_command(text: str) -> CommandLine:
    """Split a trimmed command that starts with `/` or `//`."""
    blank_lines = _blank_lines(text)
    inside = text.rstrip() if blank_lines else text
    header, newline, body = inside.partition("\n")
    match = _HEADER.match(header.rstrip())
    word, arguments = match.groups() if match else ("", "")
    return CommandLine(
        text=inside,
        word=word.lower(),
        arguments=arguments,
        body=body if newline else None,
        blank_lines=blank_lines,
    )


def _blank_lines(text: str) -> str:
    """Return the line ends and blank lines at the end of a text, without the last line end."""
    if not text[-1:].isspace():
        return ""
    tail = text[len(text.rstrip()) :]
    first, last = tail.find(_LINE_END), tail.rfind(_LINE_END)
    if first == last:
        return ""
    start = first - (tail[first - 1 : first] == _RETURN)
    return tail[start:last].removesuffix(_RETURN)


def label(text: str) -> str:
    """Return the label of a command: its first line, cut to 80 characters."""
    first = first_line(text)
    return first if len(first) <= LABEL_LENGTH else _cut(first)


def first_line(text: str) -> str:
    """Return the first line of a command, as it may be shown."""
    if len(text) <= LONGEST_HEAD and text.isprintable():
        return text
    first = text[:LONGEST_HEAD].partition("\n")[0].rstrip()
    return "\t".join(map(without_controls, first.split("\t")))


def _cut(line: str) -> str:
    """Cut a long line; if the cut removes the only mask, append one."""
    shown = line[: LABEL_LENGTH - len(_CUT)]
    if MASK in line and MASK not in shown:
        return line[: LABEL_LENGTH - len(_CUT) - len(MASK)] + _CUT + MASK
    return shown + _CUT
