"""The errors in cells of Excel workbooks, which the library for spreadsheets leaves empty."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape

from stringd_documents.containers import Container

CellPlace = tuple[int, int]
"""Row and column of a cell, from 0."""

_WORKBOOK = "xl/workbook.xml"
_MARKS = (b'"e"', b"'e'")
# The attributes of a cell whose type is an error, and its value.
_CELL = re.compile(
    rb"""<(?:\w+:)?c\s([^>]*\bt=["']e["'][^>]*)(?<!/)>(?:(?!</(?:\w+:)?c>).)*?<(?:\w+:)?v>([^<]*)<""",
    re.DOTALL,
)
_PLACE = re.compile(rb"""\br=["']([A-Z]{1,3})([0-9]{1,7})["']""")


def cell_errors(container: Container, sheet: str) -> Mapping[CellPlace, str]:
    """Return the errors of a sheet such as `#DIV/0!`; none of one that is too large or in another format."""
    data = container.bytes_if_small(_part(container, sheet))
    # Few sheets have errors, and looking at all cells takes time.
    found = _CELL.finditer(data) if any(it in data for it in _MARKS) else ()
    places = ((_PLACE.search(it[1]), it[2]) for it in found)
    return {_place(match): unescape(value.decode("utf-8", "replace")) for match, value in places if match}


def _part(container: Container, sheet: str) -> str:
    """Return the name of the member that holds a sheet; empty if there is none."""
    workbook = container.xml_if_there(_WORKBOOK)
    sheets = workbook.iter("sheet") if workbook is not None else ()
    number = next((it.get("r:id", "") for it in sheets if it.get("name") == sheet), "")
    found = container.relationships(_WORKBOOK).get(number)
    return found.target if found else ""


def _place(match: re.Match[bytes]) -> CellPlace:
    column = 0
    for letter in match[1]:
        column = 26 * column + letter - ord("A") + 1
    return int(match[2]) - 1, column - 1
