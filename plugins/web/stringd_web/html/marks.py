"""Marks: placeholders for the parts of a page that bypass the conversion to Markdown.

They consist of Unicode noncharacters, which are removed from input: pages can't forge marks, and converters
leave them alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct, field

BEGIN, END, ESCAPE = "\ufdd0", "\ufdd1", "\ufdd2"
MARK = re.compile(rf"{BEGIN}([a-z])(\d*){END}")
LINK_END = f"{BEGIN}z{END}"
DEFINITION = f"{BEGIN}d{END}"
HEADLESS = f"{BEGIN}t{END}"
_REFERENCE = re.compile(r"&#(?:[xX]0*[fF][dD][dD][0-2](?![0-9a-fA-F])|0*6497[678](?!\d));?")


def without_marks(text: str) -> str:
    """Remove everything from HTML that could be mistaken for a mark."""
    for it in () if text.isascii() else (BEGIN, END, ESCAPE):
        text = text.replace(it, "") if it in text else text
    return _REFERENCE.sub("", text) if "&#" in text else text


class LinkTarget(NamedTuple):
    """The target of a link or an image, and its label as plain text."""

    label: str
    target: str


class Title(NamedTuple):
    """A heading's level and its plain text."""

    level: int
    text: str


class Marks(Struct):
    """The parts of one page that were replaced by marks, by mark number."""

    literals: list[str] = field(default_factory=list)
    blocks: list[Sequence[str]] = field(default_factory=list)
    links: list[LinkTarget] = field(default_factory=list)
    images: list[LinkTarget] = field(default_factory=list)
    titles: list[Title] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def literal(self, text: str) -> str:
        """Add inline text that is inserted unchanged; return its mark."""
        self.literals.append(text)
        return f"{BEGIN}c{len(self.literals) - 1}{END}"

    def block(self, lines: Sequence[str]) -> str:
        """Add lines that are inserted unchanged; return their mark."""
        self.blocks.append(lines)
        return f"{BEGIN}b{len(self.blocks) - 1}{END}"

    def link(self, label: str, target: str) -> str:
        """Add a link; the text after its mark up to `LINK_END` is its label."""
        self.links.append(LinkTarget(label, target))
        return f"{BEGIN}l{len(self.links) - 1}{END}"

    def image(self, label: str, target: str) -> str:
        """Add an image; return its mark."""
        self.images.append(LinkTarget(label=label, target=target))
        return f"{BEGIN}i{len(self.images) - 1}{END}"

    def title(self, level: int, text: str) -> str:
        """Add a heading; its mark goes before its text."""
        self.titles.append(Title(level=level, text=text))
        return f"{BEGIN}h{len(self.titles) - 1}{END}"

    def name(self, name: str) -> tuple[str, str]:
        """Add an id; return the marks for its start and end."""
        number = len(self.names)
        self.names.append(name)
        return f"{BEGIN}s{number}{END}", f"{BEGIN}e{number}{END}"

    def blocks_in(self, text: str) -> list[Sequence[str]]:
        """Return the blocks whose marks are in a text."""
        return [self.blocks[int(it[2])] for it in MARK.finditer(text) if it[1] == "b"]

    def plain(self, text: str) -> str:
        """Return text on one line, with marks replaced by their content."""
        return " ".join((MARK.sub(self._shown, text) if BEGIN in text else text).split())

    def _shown(self, mark: re.Match[str]) -> str:
        return self.literals[int(mark[2])].strip("`") if mark[1] == "c" else ""
