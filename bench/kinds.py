"""Benchmarks of documents that consist of one kind of construct: time per megabyte by size."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

from bench.rooms import measurement
from bench.table import Row, at_most
from stringd.documents.pages.page import Page
from stringd.documents.pagination.long_pages import page_parts
from stringd.documents.syntax.parsed_document import parse_document
from stringd_web.html.html_reader import read_html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_KB, _MB = 1000, 1_000_000
_SIZES = (10 * _KB, 100 * _KB, _MB, 10 * _MB)
# A kind that takes so long in one size is not tried in the next.
_LONGEST = 12.0
_LINEAR = 3
_PART = 50_000
_ROUNDS = 3

_MARKDOWN = {
    "links": "[a](b) ",
    "remote links": "[a](https://x.example/a) ",
    "links in rows": "| [a](b) | c |\n",
    "menus": "[!nav:x](y)\n\n",
    "includes": "[!include:x](y)\n\n",
    "names": "[@a b](c) ",
    "references": "[r] ",
    "definitions": "[a]: /x\n",
    "images": "![a](b) ",
    "brackets": "[]",
    "brackets that never close": "[",
    "emphasis": "*a **b _c ",
    "backticks": "`a ",
    "markers": "<!-- #a -->\n\n",
    "open comments": "a <!-- \n",
    "headings": "# x\n",
    "headings with ids": "# x {#id}\n",
    "one long line": "word ",
    "lists": "- a\n  - b\n",
    "quotes": "> > a\n",
    "autolinks": "<https://x.example> ",
    "entities": "&amp; ",
    "parameters": "```act.a\nGET https://x.example\n  q: string\n```\n",
}
_HTML = {
    "links": "<a href=b>a</a> ",
    "tables": "<table><tr><th>a<th>b<tr><td>c<td>d</table>",
    "rows": "<tr><td>a<td>b",
    "forms": "<form action=a><input name=b></form>",
    "nested elements": "<div><p>a</div>",
    "ids": "<p id=a>b",
    "inline tags": "<b>a</b> <i>b</i> ",
    "headings": "<h2>a</h2>",
    "items": "<li><a href=b>a</a>",
}


@measurement
def markdown() -> Iterator[Row]:
    """Parsing and dividing Markdown of each kind."""
    yield from _rows("Markdown", _MARKDOWN, _shown)


@measurement
def html() -> Iterator[Row]:
    """Converting HTML of each kind to Markdown."""
    yield from _rows("HTML", _HTML, lambda text: read_html(text, "https://x.example/", full=False))


def _rows(what: str, pieces: Mapping[str, str], read: Callable[[str], object]) -> Iterator[Row]:
    for kind, piece in pieces.items():
        costs = _costs(piece, read)
        (smallest, first), (largest, last) = costs[0], costs[-1]
        yield at_most(
            _LINEAR,
            last / first,
            what=f"{what} of nothing but {kind}, {largest // _KB:,} KB: per MB",
            measured=f"{last:.2f} s",
            reference=f"{smallest // _KB} KB {first:.2f} s",
        )


def _costs(piece: str, read: Callable[[str], object]) -> list[tuple[int, float]]:
    """Return the time per megabyte for each size, skipping those that take too long."""
    costs: list[tuple[int, float]] = []
    for size in _SIZES:
        if costs and costs[-1][1] * size / _MB > _LONGEST:
            break
        text = piece * (size // len(piece))
        rounds = _ROUNDS if size < _MB else 1
        costs.append((size, min(_seconds(read, text) for _ in range(rounds)) / (size / _MB)))
    return costs


def _seconds(read: Callable[[str], object], text: str) -> float:
    gc.collect()
    start = time.process_time()
    read(text)
    return time.process_time() - start


def _shown(text: str) -> None:
    page = Page(uri="https://x.example/", path=None, source=text, sheet=parse_document(text))
    parts = page_parts(page, None, None, _PART, str)
    parts.view(parts.count)
