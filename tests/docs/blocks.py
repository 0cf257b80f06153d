"""The fenced blocks of a Markdown page, each with its language, its line and the comment above it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FENCE = re.compile(r"^[ ]*(?P<fence>`{3,}|~{3,})[ ]*(?P<language>[\w-]*)[ ]*$")
MARK = re.compile(
    r"^[ ]*<!-- (?P<kind>not run|file|own terminal|service|person|typed|then)(?:: (?P<detail>.+))? -->$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block; `kind` and `detail` are what the comment on the line above it says."""

    language: str
    line: int
    text: str
    kind: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One command of a console block and the output that the page shows for it."""

    command: str
    shown: str


def blocks(page: str) -> Iterator[Block]:
    """Each fenced block of the page, in order."""
    lines = page.splitlines()
    at = 0
    while at < len(lines):
        opening = FENCE.match(lines[at])
        if opening is None:
            at += 1
            continue
        end = closing_line(lines, at, opening["fence"])
        yield block(lines, at, end, opening["language"])
        at = end + 1


def closing_line(lines: list[str], start: int, fence: str) -> int:
    """The line that closes the fence opened at `start`."""
    for at in range(start + 1, len(lines)):
        text = lines[at].strip()
        if text.startswith(fence) and not text.strip(fence[0]):
            return at
    message = f"the fence of line {start + 1} is never closed"
    raise ValueError(message)


def block(lines: list[str], start: int, end: int, language: str) -> Block:
    """The block between two fence lines, with the mark above it."""
    mark = MARK.match(lines[start - 1]) if start else None
    return Block(
        language=language,
        line=start + 1,
        text=dedent("".join(f"{line}\n" for line in lines[start + 1 : end])),
        kind=mark["kind"] if mark else "",
        detail=(mark["detail"] or "") if mark else "",
    )


def prose(page: str) -> str:
    """The page without its fenced blocks and code spans: what a link or a heading may stand in."""
    kept: list[str] = []
    lines = page.splitlines()
    at = 0
    while at < len(lines):
        if opening := FENCE.match(lines[at]):
            at = closing_line(lines, at, opening["fence"])
        else:
            kept.append(lines[at])
        at += 1
    return "\n".join(kept)


def exchanges(text: str) -> Iterator[Exchange]:
    """Each `$ command` of a console block, its `> ` continuation lines, and the output below it."""
    lines = text.splitlines()
    if not lines or not lines[0].startswith("$ "):
        message = "a console block begins with a line `$ command`"
        raise ValueError(message)
    starts = [at for at, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        after = start + 1
        while after < end and f"{lines[after]} ".startswith("> "):
            after += 1
        command = "\n".join(line[2:] for line in lines[start:after])
        yield Exchange(command=command, shown="".join(f"{line}\n" for line in lines[after:end]))


def pattern(shown: str) -> re.Pattern[str]:
    """What matches the output that a page shows: `...` stands for any text, alone on a line for any lines."""
    parts = []
    for line in shown.splitlines():
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(piece) for piece in line.split("...")) + r"\n")
    return re.compile("".join(parts))
