"""Split a command into header (its first line) and body, and create its label."""

from __future__ import annotations

import re

from stringd.api.commands import CommandLine
from stringd.text.escaping import without_controls
from stringd.text.masking import MASK

LABEL_LENGTH = 80
LONGEST_HEAD = 4096
_CUT = "..."
_HEADER = re.compile(r"//?(\S*)\s*(.*)", re.DOTALL)


def parse_command(text: str) -> CommandLine:
    """Split a trimmed command that starts with `/` or `//`."""
    header, newline, body = text.partition("\n")
    match = _HEADER.match(header.rstrip())
    word, arguments = match.groups() if match else ("", "")
    return CommandLine(text=text, word=word.lower(), arguments=arguments, body=body if newline else None)


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
