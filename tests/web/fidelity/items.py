"""Records of the items of a page, common to its HTML and its Markdown."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

# Marks without a width of their own: they say where a word may be broken, and nobody reads them.
WIDTHLESS = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))


def squeezed(text: str) -> str:
    """Return a text with one blank wherever there is white space, and without what nobody can see."""
    return " ".join(text.translate(WIDTHLESS).split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A block of code, to the byte but for newlines at its end; `in_cell` where a table holds it."""

    text: str
    language: str = ""
    in_cell: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A label and where it leads; `loose` where it stands in code or around blocks, as in no Markdown."""

    label: str
    target: str
    loose: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One place of a table's grid: a cell, or a place that a cell covers from the left or from above."""

    text: str
    own: bool = True
    from_above: bool = False
    rich: bool = False


Row = tuple[Slot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Authored:
    """The content of an HTML page; `nested` are the tables within cells of others."""

    headings: list[Heading] = field(default_factory=list)
    tables: list[list[Row]] = field(default_factory=list)
    nested: list[list[Row]] = field(default_factory=list)
    code: list[Code] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    images: list[Link] = field(default_factory=list)
    passages: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The content of a Markdown document; `text` is all of it as it reads, a line for each block."""

    headings: Counter[Heading]
    tables: list[list[tuple[str, ...]]]
    code: Counter[Code]
    links: Counter[Link]
    images: Counter[Link]
    text: str
    cells: list[list[str]]
