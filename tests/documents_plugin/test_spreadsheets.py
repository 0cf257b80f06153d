"""Spreadsheets."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.documents_plugin.office_files import open_document, sheet_row, workbook

Shown = Callable[..., str]
BOOK = workbook(
    {
        "Sales 2024": sheet_row(1, "Region", "Sum") + sheet_row(2, "North", 12.5) + sheet_row(4, "South", 3),
        "Notes": sheet_row(1, "a|b"),
    }
)
SALES = "## Sales 2024\n\nCells A1:B4\n\n| Region | Sum |\n| --- | --- |\n| North | 12.5 |\n| South | 3 |"
NOTES = "## Notes\n\nCells A1:A1\n\n| a\\|b |\n| --- |"


@pytest.mark.requirement("documents.read.sheets")
def test_each_sheet_is_a_section(daemon: DaemonProcess, shown: Shown) -> None:
    assert shown("a.xlsx", BOOK) == f"{SALES}\n\n{NOTES}"
    assert daemon.exec("/open a.xlsx#notes").content.endswith(f"a.xlsx#notes\n---\n{NOTES}")


@pytest.mark.requirement("documents.read.pages")
def test_sheets_are_pages(shown: Shown, read: Shown) -> None:
    assert shown("a.xlsx", BOOK, "--pages 2") == NOTES
    assert read("a.xlsx", BOOK, "--pages 3") == "ERROR(NOT_FOUND): Page not found: 3\na.xlsx has 2 sheets."


@pytest.mark.requirement("documents.read.sheets")
def test_opendocument_spreadsheet(shown: Shown) -> None:
    cell = '<table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell>'
    assert shown("a.ods", _open_workbook(cell)) == "## First\n\nCells A1:A1\n\n| x |\n| --- |"


@pytest.mark.requirement("documents.read.sheets")
def test_cells_without_a_type_are_texts(shown: Shown) -> None:
    number = 'office:value-type="float" office:value="1.5"'
    note = "<office:annotation><text:p>why?</text:p></office:annotation>"
    cells = (
        '<table:table-cell table:number-columns-repeated="2"/>',
        '<table:table-cell table:number-columns-repeated="2"><text:p>a &gt; b</text:p></table:table-cell>',
        '<table:table-cell table:formula="of:=1>2">\n<text:p>c</text:p></table:table-cell>',
        f"<table:table-cell>{note}<text:p>d</text:p></table:table-cell>",
        f"<table:table-cell {number}><text:p>1,5</text:p></table:table-cell>",
        "<table:table-cell><text:p>e</text:p><text:p>f</text:p></table:table-cell>",
    )
    assert shown("a.ods", _open_workbook(*cells)) == (
        "## First\n\nCells C1:H1\n\n| a > b | a > b | c | d | 1.5 | e<br>f |\n|" + 6 * " --- |"
    )


def _open_workbook(*cells: str) -> bytes:
    row = f"<table:table-row>{''.join(cells)}</table:table-row>"
    manifest = '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    sheet = f'<table:table table:name="First">{row}</table:table>'
    return open_document("spreadsheet", sheet, more={"META-INF/manifest.xml": manifest})


@pytest.mark.requirement("documents.read.errors")
def test_errors_in_cells_are_shown(shown: Shown) -> None:
    def error(place: str, name: str) -> str:
        return f'<c r="{place}" s="1" t="e"><f>1/0</f><v>{name}</v></c>'

    rows = f'<row r="2">{error("B2", "#DIV/0!")}<c r="C2"><v>1</v></c></row>'
    rows += f'<row r="4"><c r="B4" t="e"/><c r="C4"><v>2</v></c></row><row r="5">{error("C5", "#N/A")}</row>'
    table = "| #DIV/0! | 1 |\n| --- | --- |\n|  | 2 |\n|  | #N/A |"
    assert shown("a.xlsx", workbook({"S": rows})) == f"## S\n\nCells B2:C5\n\n{table}"


@pytest.mark.requirement("documents.read.bounded")
def test_huge_sheet_is_cut_and_says_so(daemon: DaemonProcess, shown: Shown) -> None:
    rows = "".join(sheet_row(number, "x" * 250, "y" * 250) for number in range(1, 12_001))
    shown("a.xlsx", workbook({"Big": rows, "Small": sheet_row(1, "last")}))
    found = daemon.exec("/find more rows").content
    assert "more rows of this sheet: too many to be shown." in found
    assert "Left out: sheet 2 — /open --pages 2" in daemon.exec("/find left out").content
    assert "| last |" in daemon.exec("/open --pages 2").content


@pytest.mark.requirement("documents.read.hostile")
def test_far_away_cell_takes_no_memory_of_the_daemon(read: Shown) -> None:
    rows = sheet_row(1, "a") + '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    assert read("a.xlsx", workbook({"S": rows})).startswith("ERROR(LOAD_ERROR): a.xlsx can't be shown: ")
