"""Comparison of a page's items with its Markdown, kind by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.web.fidelity.items import Authored, Code, Heading, Link, Shown
from tests.web.fidelity.table_cells import count_cells, lost_cells

# Other names of the same language.
_ALIASES = {
    "python3": "python",
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "sh": "bash",
    "yml": "yaml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many items of a kind a page has, and those that are missing or damaged, each in a few words."""

    total: int = 0
    missing: list[str] = field(default_factory=list)


def compare(authored: Authored, shown: Shown) -> dict[str, Tally]:
    """Return a tally for each kind of item."""
    return {
        "headings": _tally(len(authored.headings), _headings(authored.headings, shown)),
        "cells": _tally(count_cells(authored), lost_cells(authored, shown)),
        "code": _tally(len(authored.code), _code(authored.code, shown)),
        "links": _tally(len(authored.links), _links(authored.links, shown)),
        "images": _tally(len(authored.images), _images(authored.images, shown)),
        "passages": _tally(len(authored.passages), _passages(authored.passages, shown)),
    }


def _tally(total: int, missing: Iterable[str]) -> Tally:
    return Tally(total=total, missing=list(missing))


def _headings(wanted: Iterable[Heading], shown: Shown) -> Iterator[str]:
    lost = Counter(wanted) - shown.headings
    there = {it.text: it.level for it in shown.headings}
    for it in lost.elements():
        level = there.get(it.text)
        yield f"h{it.level} {it.text!r}" + (f" (there as h{level})" if level not in {None, it.level} else "")


def _links(wanted: Iterable[Link], shown: Shown) -> Iterator[str]:
    """A loose link, or one without a label, needs its target, and a label that is part of its text."""
    strict = Counter(it for it in wanted if it.label and not it.loose)
    for lost in (strict - shown.links).elements():
        yield f"[{lost.label}]({lost.target})"
    labels: dict[str, list[str]] = {}
    for there in shown.links:
        labels.setdefault(there.target, []).append(there.label)
    for it in (it for it in wanted if it.loose or not it.label):
        reads_as_target = it.label == it.target and it.target in shown.text
        if not reads_as_target and not any(_fits(label, it.label) for label in labels.get(it.target, [])):
            yield f"[{it.label}]({it.target})"


def _fits(label: str, whole: str) -> bool:
    return not whole or (label != "" and label in whole)


def _images(wanted: Iterable[Link], shown: Shown) -> Iterator[str]:
    for lost in (Counter(wanted) - shown.images).elements():
        yield f"![{lost.label}]({lost.target})"


def _passages(wanted: Iterable[str], shown: Shown) -> Iterator[str]:
    whole = set(shown.text.splitlines())
    for passage in wanted:
        if passage not in whole and passage not in shown.text:
            yield repr(passage)


def _code(wanted: Iterable[Code], shown: Shown) -> Iterator[str]:
    left = Counter(shown.code)
    for block in wanted:
        same = [it for it in left if it.text == block.text and left[it]]
        fitting = [it for it in same if _named(it.language) == _named(block.language) or not block.language]
        if fitting:
            left[fitting[0]] -= 1
        elif same:
            yield f"{block.text[:60]!r} is {same[0].language!r} and should be {block.language!r}"
        elif not (block.in_cell and any(_holds(cell, block.text.split("\n")) for cell in shown.cells)):
            yield repr(block.text)


def _named(language: str) -> str:
    return _ALIASES.get(language.lower(), language.lower())


def _holds(cell: Sequence[str], lines: Sequence[str]) -> bool:
    starts = range(len(cell) - len(lines) + 1)
    return any([*cell[at : at + len(lines)]] == [*lines] for at in starts)
