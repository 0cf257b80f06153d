"""The grid of an HTML table, with spanned cells."""

from __future__ import annotations

from collections.abc import Iterator

from justhtml.dom import Element, Node

from tests.web.fidelity.html_trees import BLOCKS, elements, outer, text_of
from tests.web.fidelity.items import Row, Slot

WIDEST = 1000


def grid(table: Node) -> list[Row]:
    """Return the rows of a table, each as wide as what stands or reaches into it."""
    reaching: dict[int, tuple[int, Slot]] = {}
    rows: list[Row] = []
    section = None
    for row in own(table, "tr"):
        if row.parent is not section:
            section, reaching = row.parent, {}
        slots = {at: slot for at, (_, slot) in reaching.items()}
        following = {at: (left - 1, slot) for at, (left, slot) in reaching.items() if left > 1}
        for cell in own(row, "td", "th"):
            _place(cell, slots, following)
        reaching = following
        rows.append(
            tuple(slots.get(at, Slot(text="", own=False)) for at in range(max(slots, default=-1) + 1))
        )
    return rows


def own(node: Node, *names: str) -> Iterator[Element]:
    """Yield the elements of these names that belong to this table or row, and not to a table within."""
    table = node if node.name == "table" else outer(node, "table")
    return (it for it in elements(node, *names) if outer(it, "table") is table)


def _place(cell: Element, slots: dict[int, Slot], following: dict[int, tuple[int, Slot]]) -> None:
    first = next(at for at in range(len(slots) + 1) if at not in slots)
    text, rich = text_of(cell), any(it.name in BLOCKS for it in elements(cell))
    down = _span(cell, "rowspan")
    for at in range(first, first + _span(cell, "colspan")):
        slots[at] = Slot(text=text, own=at == first, rich=rich)
        if down > 1:
            following[at] = (down - 1, Slot(text=text, own=False, from_above=True))


def _span(cell: Element, name: str) -> int:
    value = (cell.attrs.get(name) or "").strip()
    # 0 rows are all that are left of the table's section.
    count = int(value) if value.isascii() and value.isdigit() else 1
    return min(count, WIDEST) or (WIDEST if name == "rowspan" else 1)
