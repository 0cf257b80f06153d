"""PDF documents: the wanted pages, as far as the time suffices."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import pypdfium2 as pdfium
import pypdfium2.raw as pdf

from stringd.plugin import LoadedBytes
from stringd.plugin.text import counted
from stringd.plugin.workers import report_parts
from stringd_documents.inline_text import escaped
from stringd_documents.markdown_blocks import MarkdownBlocks, TextLimitReached
from stringd_documents.pdf.headings import Headings
from stringd_documents.pdf.page_layout import PageLayout
from stringd_documents.pdf.page_lines import Line, lines_of
from stringd_documents.pdf.ruled_tables import Grid, grids_of
from stringd_documents.pdf.running_lines import PageNumber, RunningLines, notice_of, running_lines
from stringd_documents.refusals import encrypted, notice_of_rest, wanted_pages

_NOUN = "page"
# CPU time for reading pages, and until the last one is added; the daemon ends a renderer at 15 seconds.
_SECONDS, _MOST_SECONDS = 6.0, 11.0


def read(loaded: LoadedBytes, blocks: MarkdownBlocks) -> str | None:
    """Add the wanted pages, and say which are left out; return the document's title."""
    start = time.process_time()
    document = _opened(loaded)
    wanted = wanted_pages(loaded, len(document), _NOUN)
    pages, grids = _read_pages(document, wanted, start + _SECONDS)
    layout = PageLayout(blocks, Headings(document, pages))
    running = running_lines(pages, grids, _numbers(document, wanted[: len(pages)]))
    if left_out := notice_of(running):
        blocks.notice(escaped(left_out))
    read_pages = zip(wanted, map(_without, pages, running), grids, strict=False)
    added = _add_pages(layout, read_pages, blocks, start + _MOST_SECONDS, are_many=len(wanted) > 1)
    if pages and not any(pages):
        blocks.notice(f"[!] {counted(len(pages), _NOUN)} without text, probably scanned pictures.")
    if added < len(wanted):
        blocks.omission(notice_of_rest(wanted[added:], _NOUN))
    return str(document.get_metadata_value("Title")).strip() or None


def _opened(loaded: LoadedBytes) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(loaded.body)
    except pdfium.PdfiumError as error:
        if error.err_code == pdf.FPDF_ERR_PASSWORD:
            raise encrypted(loaded) from None
        raise


def _read_pages(
    document: pdfium.PdfDocument, wanted: range, deadline: float
) -> tuple[list[list[Line]], list[list[Grid]]]:
    """Return the lines and the drawn tables of as many pages as the time suffices for."""
    lines, grids = [], []
    for number in wanted:
        report_parts(number - wanted.start, len(wanted))
        page = document[number]
        lines.append(lines_of(page))
        grids.append(grids_of(page))
        page.close()
        if time.process_time() > deadline:
            break
    return lines, grids


def _numbers(document: pdfium.PdfDocument, wanted: range) -> list[PageNumber]:
    count = len(document)
    return [
        PageNumber(number=index + 1, label=document.get_page_label(index), count=count) for index in wanted
    ]


def _without(lines: Sequence[Line], running: RunningLines) -> list[Line]:
    return [line for place, line in enumerate(lines) if place not in running]


def _add_pages(
    layout: PageLayout,
    pages: Iterable[tuple[int, Sequence[Line], Sequence[Grid]]],
    blocks: MarkdownBlocks,
    deadline: float,
    *,
    are_many: bool,
) -> int:
    """Add the pages, with numbers if they are many; return how many there was room and time for."""
    added = 0
    for number, lines, grids in pages:
        if time.process_time() > deadline:
            break
        try:
            if are_many:
                blocks.verbatim(f"[{_NOUN} {number + 1}]")
            layout.add(lines, grids, number)
        except TextLimitReached:
            break
        added += 1
    return added
