"""Data tables become Markdown tables; layout tables are dissolved."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from stringd_web.html.code_blocks import code_span
from stringd_web.html.list_layout import item_numbers, items_of
from stringd_web.html.marks import HEADLESS, Marks
from stringd_web.html.nodes import attribute, children, prepend_text, replace_tag

_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_CELLS = frozenset({"td", "th"})
# In lexbor, an :is() before a blank finds children only.
_LAYOUT_CONTENT = "h1, h2, h3, h4, h5, h6, table, form, hr, blockquote, figure, section, article"
_LAYOUT_CONTENT_IN_CELLS = f"td :is({_LAYOUT_CONTENT}), th :is({_LAYOUT_CONTENT})"
_LISTS_IN_CELLS = "td :is(ul, ol, menu), th :is(ul, ol, menu)"
_MAX_SPANNED_CELLS = 20_000


class TableNormalizer:
    """Prepares the tables of one page for conversion, outer tables first."""

    def __init__(self, tree: LexborHTMLParser, marks: Marks) -> None:
        self._tree = tree
        self._marks = marks
        self._inner: set[int] = set()
        self._spanned_cells = 0

    def normalize(self) -> None:
        """Normalize data tables and dissolve layout tables."""
        for table in self._tree.css("table"):
            if table.mem_id not in self._inner:
                self._normalize(table)

    def _normalize(self, table: LexborNode) -> None:
        rows = _rows(table)
        if _is_layout(table, rows):
            self._dissolve(table, rows)
            return
        for inner in reversed(table.css("table table")):
            self._inner.add(inner.mem_id)
            _flatten_nested(self._tree, inner)
        self._prepare(table, rows)

    def _dissolve(self, table: LexborNode, rows: list[LexborNode]) -> None:
        for row in rows:
            for cell in _cells(row):
                replace_tag(self._tree, cell, "div")
            row.unwrap()
        for part in children(table):
            if part.tag in _GROUPS:
                part.unwrap()
            elif part.tag == "caption":
                replace_tag(self._tree, part, "div")
        if table.first_child is None:
            table.decompose()
        else:
            table.unwrap()

    def _prepare(self, table: LexborNode, rows: list[LexborNode]) -> None:
        for caption in table.css("caption"):
            table.insert_before(replace_tag(self._tree, caption, "div"), move=True)
        for cell in table.css("[colspan], [rowspan]"):
            self._limit_span(cell, len(rows))
        self._write_code_in_cells(table)
        _number_items_in_cells(table)
        for rule in table.css("hr"):
            replace_tag(self._tree, rule, "br")
        if rows and not _is_header(rows[0]) and (cells := _cells(rows[0])):
            prepend_text(cells[0], HEADLESS)

    def _limit_span(self, cell: LexborNode, rows: int) -> None:
        """Clamp colspan and rowspan; drop them once the total would grow too large."""
        across = min(_number(cell, "colspan"), 1000)
        down = min(_number(cell, "rowspan") or rows, rows)
        self._spanned_cells += across * down
        is_excessive = self._spanned_cells > _MAX_SPANNED_CELLS
        if across > 1 < down and not is_excessive:
            across = self._split_spanning_cell(cell, across, down)
        cell.attrs["colspan"] = "1" if is_excessive else str(max(across, 1))
        cell.attrs["rowspan"] = "1" if is_excessive else str(max(down, 1))

    def _split_spanning_cell(self, cell: LexborNode, across: int, down: int) -> int:
        """Split a cell that spans rows and columns into one per column; return its new colspan."""
        for _ in range(across - 1):
            extra = self._tree.create_node(cell.tag or "td")
            extra.attrs["rowspan"] = str(down)
            cell.insert_after(extra, move=True)
        return 1

    def _write_code_in_cells(self, table: LexborNode) -> None:
        """Turn code blocks in cells into code spans, one per line."""
        for node in table.css("pre"):
            text = node.text_lexbor()
            lines = [line for block in self._marks.blocks_in(text) for line in block[1:-1]]
            node.inner_html = "<br>".join(
                self._marks.literal(code_span(line)) if line.strip() else "" for line in lines
            )


def _rows(table: LexborNode) -> list[LexborNode]:
    groups = [table, *(it for it in children(table) if it.tag in _GROUPS)]
    return [row for group in groups for row in children(group) if row.tag == "tr"]


def _cells(row: LexborNode) -> list[LexborNode]:
    return [it for it in children(row) if it.tag in _CELLS]


def _is_header(row: LexborNode) -> bool:
    parent = row.parent
    return (parent is not None and parent.tag == "thead") or all(it.tag == "th" for it in _cells(row))


def _is_layout(table: LexborNode, rows: list[LexborNode]) -> bool:
    if attribute(table, "role") in {"presentation", "none"}:
        return True
    if any(it.tag in {"thead", "caption"} for it in children(table)):
        return False
    cells = [_cells(row) for row in rows]
    if any(it.tag == "th" for row in cells for it in row):
        return False
    return all(len(row) < 2 for row in cells) or table.css_first(_LAYOUT_CONTENT_IN_CELLS) is not None


def _flatten_nested(tree: LexborHTMLParser, table: LexborNode) -> None:
    """Flatten a nested table to lines with cells separated by bars."""
    for row in _rows(table):
        for number, cell in enumerate(_cells(row)):
            prepend_text(cell, " | " if number else "")
            cell.unwrap()
        row.insert_before(tree.create_node("br"), move=True)
        row.unwrap()
    for part in children(table):
        if part.tag in _GROUPS:
            part.unwrap()
    if table.first_child is not None:
        if table.next is not None:
            table.insert_after(tree.create_node("br"), move=True)
        table.unwrap()


def _number_items_in_cells(table: LexborNode) -> None:
    for listed in table.css(_LISTS_IN_CELLS):
        for number, item in zip(item_numbers(listed), items_of(listed), strict=True):
            prepend_text(item, f"{number}. " if listed.tag == "ol" else "- ")


def _number(cell: LexborNode, name: str) -> int:
    value = attribute(cell, name)
    return int(value) if value.isdecimal() and len(value) < 6 else 1
