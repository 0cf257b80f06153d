"""Detection of missing or misplaced table cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, product

from tests.web.fidelity.items import Authored, Row, Shown, Slot, squeezed

# What lists, tables and rules in a cell may get between their entries: a Markdown cell has no lines.
_MARKS = frozenset("-*+•·;,/|") | {"---"} | {f"{number}." for number in range(1, 100)}


def count_cells(authored: Authored) -> int:
    """Return how many cells have a text."""
    rows = chain.from_iterable((*authored.tables, *authored.nested))
    return sum(slot.own and slot.text != "" for row in rows for slot in row)


def lost_cells(authored: Authored, shown: Shown) -> Iterator[str]:
    """Yield the cells that are not in a row of a table beside the neighbours that they have."""
    left = [Counter(map(_trimmed, rows)) for rows in shown.tables]
    lines = set(shown.text.splitlines())
    for table in authored.tables:
        if max(map(len, table), default=0) > 1:
            yield from _lost(table, left)
        else:
            # A table of one column is a list: nobody is anybody's neighbour.
            yield from (
                repr(slot.text) for row in table for slot in row if slot.own and slot.text not in {"", *lines}
            )
    cells = [_words(squeezed(" ".join(cell))) for cell in shown.cells]
    for row in chain.from_iterable(authored.nested):
        if not any(_within(_words(" ".join(slot.text for slot in row if slot.own)), cell) for cell in cells):
            yield from (f"{slot.text!r} in a table within a cell" for slot in row if slot.own and slot.text)


def _words(text: str) -> list[str]:
    return [word for word in text.split() if word not in _MARKS]


def _within(words: Sequence[str], cell: Sequence[str]) -> bool:
    return any([*cell[at : at + len(words)]] == [*words] for at in range(len(cell) - len(words) + 1))


def _lost(table: Sequence[Row], left: list[Counter[tuple[str, ...]]]) -> Iterator[str]:
    """Find the Markdown table that has most of the rows, and take from it what is there."""
    spelled = [(row, list(_spellings(row))) for row in table if any(slot.own and slot.text for slot in row)]
    rows = max(
        left, key=lambda rows: sum(any(rows[it] > 0 for it in ways) for _, ways in spelled), default=Counter()
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
