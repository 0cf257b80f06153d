"""Which items of a page are present in its Markdown, kind by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from tests.web.fidelity.items import Authored, Code, Heading, Link, Row, Shown, Slot, squeezed

# What a list in a cell may get before its entries, or between them: a Markdown cell has no lines of its own.
_MARKS = frozenset("-*+•·;,/|") | {f"{number}." for number in range(1, 100)}
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
        "cells": _tally(*_cells(authored.tables, shown)),
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
        if not any(_fits(label, it.label) for label in labels.get(it.target, [])):
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


def _cells(tables: Sequence[Sequence[Row]], shown: Shown) -> tuple[int, list[str]]:
    left = [Counter(map(_trimmed, rows)) for rows in shown.tables]
    total = sum(slot.own and slot.text != "" for table in tables for row in table for slot in row)
    return total, [lost for table in tables for lost in _lost_cells(table, left, shown)]


def _lost_cells(table: Sequence[Row], left: list[Counter[tuple[str, ...]]], shown: Shown) -> Iterator[str]:
    """Find the Markdown table that has most of the rows, and take from it what is there."""
    spelled = [(row, list(_spellings(row))) for row in table if any(slot.own and slot.text for slot in row)]
    rows = max(
        left, key=lambda rows: sum(any(it in rows for it in ways) for _, ways in spelled), default=Counter()
    )
    remaining: list[Row] = []
    for row, ways in spelled:
        there = next((it for it in ways if rows[it] > 0), None)
        if there is None:
            remaining.append(row)
        else:
            rows[there] -= 1
    for row in remaining:
        best = max((it for it in rows if rows[it] > 0), key=lambda it: len(_present(row, it)), default=())
        found = _present(row, best)
        if found:
            rows[best] -= 1
        for at, slot in enumerate(row):
            if slot.own and slot.text and at not in found:
                yield f"{slot.text!r} in row {[it.text for it in row]}"


def _spellings(row: Row) -> Iterator[tuple[str, ...]]:
    """A place that a cell covers is blank or says the same again."""
    for above, left in product((False, True), repeat=2):
        texts = (it.text if it.own or (above if it.from_above else left) else "" for it in row)
        yield _trimmed(tuple(texts))


def _trimmed(row: tuple[str, ...]) -> tuple[str, ...]:
    end = len(row)
    while end and not row[end - 1]:
        end -= 1
    return row[:end]


def _present(row: Row, there: tuple[str, ...]) -> set[int]:
    """Return the places whose own cell stands there, next to the neighbours that it has."""
    same = [_same(slot, there[at] if at < len(there) else "") for at, slot in enumerate(row)]
    return {
        at
        for at, slot in enumerate(row)
        if slot.own and slot.text and same[at] and all(same[max(at - 1, 0) : at + 2])
    }


def _same(slot: Slot, text: str) -> bool:
    if not slot.own and not text:
        return True
    if slot.rich:
        return [it for it in text.split() if it not in _MARKS] == [
            it for it in slot.text.split() if it not in _MARKS
        ]
    return squeezed(text) == slot.text
