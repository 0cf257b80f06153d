"""Workbooks of Excel and OpenDocument: each sheet as a table below its name."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError

from stringd.plugin import LoadedBytes
from stringd.plugin.media_types import document_name
from stringd.plugin.text import counted
from stringd.plugin.workers import report_parts
from stringd_documents.containers import ZIP, Container
from stringd_documents.inline_text import plain
from stringd_documents.markdown_blocks import MarkdownBlocks, TextLimitReached
from stringd_documents.office.cell_errors import CellPlace, cell_errors
from stringd_documents.refusals import encrypted, notice_of_rest, unreadable, wanted_pages

_NOUN = "sheet"
_MIDNIGHT = dt.time()
_LETTERS = 26
# What the library needs of an OpenDocument file.
_CONTENT, _OTHERS = "content.xml", ("mimetype", "META-INF/manifest.xml")
# The start of a cell with a text that the library takes for empty, as nothing says of which type it is.
_UNTYPED_CELL = re.compile(
    rb"""(<table:(?:covered-)?table-cell(?:\s+(?!office:)[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*+)\s*>"""
    rb"(?=\s*<(?:text:p|office:annotation)\b)"
)
# What the library reads at most, and what it says beyond, and of damaged files.
_MOST_CELLS, _UNDETECTED = 100_000_000, "Cannot detect file format"


def read(loaded: LoadedBytes, blocks: MarkdownBlocks) -> str:
    """Add the wanted sheets; say which of them, and how many rows, are left out."""
    container = _container(loaded)
    workbook = _workbook(loaded, (_typed(container) if container else None) or loaded.body)
    wanted = wanted_pages(loaded, len(workbook.sheet_names), _NOUN)
    for number in wanted:
        report_parts(number - wanted.start, len(wanted))
        try:
            _add_sheet(workbook, container, number, blocks)
        except TextLimitReached:
            blocks.omission(notice_of_rest(range(number, wanted.stop), _NOUN))
            break
    return document_name(loaded.uri)


def _workbook(loaded: LoadedBytes, body: bytes) -> CalamineWorkbook:
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(body))
    except PasswordError:
        raise encrypted(loaded) from None
    except CalamineError as error:
        # The library tries each format, and does not say why the one of the file was refused.
        if str(error) == _UNDETECTED:
            raise unreadable(loaded, f"it is damaged, or has more than {_MOST_CELLS:,} cells.") from None
        raise


def _container(loaded: LoadedBytes) -> Container | None:
    """Return the archive that a workbook is; None for the binary format of earlier times."""
    return Container(loaded) if loaded.body.startswith(ZIP) else None


def _typed(container: Container) -> bytes | None:
    """Return an OpenDocument file in which untyped cells are texts; None if there is nothing to change."""
    content, changes = _UNTYPED_CELL.subn(
        rb'\1 office:value-type="string">', container.bytes_if_small(_CONTENT)
    )
    if not changes:
        return None
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name in container.names.intersection(_OTHERS):
            archive.writestr(name, container.bytes_of(name))
        archive.writestr(_CONTENT, content)
    return data.getvalue()


def _add_sheet(
    workbook: CalamineWorkbook, container: Container | None, number: int, blocks: MarkdownBlocks
) -> None:
    sheet = workbook.get_sheet_by_index(number)
    blocks.heading(sheet.name, 2)
    if sheet.start is None or sheet.end is None:
        blocks.paragraph(plain("(empty)"))
        return
    blocks.paragraph(plain(f"Cells {_cell_name(sheet.start)}:{_cell_name(sheet.end)}"))
    errors = cell_errors(container, sheet.name) if container else {}
    if more := blocks.data_table(_rows(sheet, errors)):
        blocks.omission(f"{counted(more, 'more row')} of this sheet: too many to be shown.")


def _rows(sheet: CalamineSheet, errors: Mapping[CellPlace, str]) -> Iterator[list[str]]:
    """Yield the rows with something in them, and with the errors that the library leaves out."""
    first = sheet.start[1] if sheet.start else 0
    missing: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for (number, column), error in errors.items():
        missing[number][column - first] = error
    for number, values in enumerate(sheet.iter_rows()):
        row: list[object] = list(values)
        for column, error in missing.get(number, {}).items():
            row[column : column + 1] = [error]
        if any(it != "" for it in row):
            yield [_shown(it) for it in row]


def _shown(value: object) -> str:
    """Return a value as a person would write it, dates and times as in ISO 8601."""
    match value:
        case bool():
            return str(value).upper()
        case float() if value.is_integer():
            return str(int(value))
        case dt.datetime() if value.time() == _MIDNIGHT:
            return value.date().isoformat()
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat(*([" "] if isinstance(value, dt.datetime) else []))
        case _:
            return str(value)


def _cell_name(place: tuple[int, int]) -> str:
    row, column = place
    letters, left = "", column + 1
    while left:
        left, letter = divmod(left - 1, _LETTERS)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"
