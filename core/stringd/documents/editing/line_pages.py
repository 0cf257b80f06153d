"""Pages that show lines of a file as they are stored."""

from __future__ import annotations

from pathlib import Path

from stringd.documents.editing.edits import line_span
from stringd.documents.editing.large_files import (
    find_block,
    find_lines,
    is_large,
    large_charset,
    large_state,
    read_part,
)
from stringd.documents.pages.cached_parsing import sheet_of
from stringd.documents.pages.file_pages import SMALL, done
from stringd.documents.pages.page import Page
from stringd.documents.paths.text_files import read_text
from stringd.documents.syntax.parsing_cost import IN_A_THREAD, parsing_effort
from stringd.documents.syntax.structured import is_verbatim, verbatim_document
from stringd.workers.threads import STORAGE


async def open_lines(path: Path, shown: str, lines: tuple[int, int]) -> Page:
    """Return a page of the lines of a text file, counted from 1 and the last one included, or refuse."""
    if is_large(path):
        sheet = verbatim_document(await STORAGE.run(_large_text, path, shown, lines))
        return Page(uri=path.as_uri(), path=path, source=large_state(path), sheet=sheet)
    text = await STORAGE.run(read_text, path, shown)
    start, end = await done(lambda: line_span(text, *lines), here=len(text) <= SMALL)
    sheet = verbatim_document(text[start:end], title=await _title(path, text))
    return Page(uri=path.as_uri(), path=path, source=text, sheet=sheet)


async def large_block_lines(path: Path, shown: str, block: str) -> tuple[int, int]:
    """Return the first and the last line of a block of a large file, or refuse."""
    return await STORAGE.run(_block_lines, path, shown, block)


def _block_lines(path: Path, shown: str, block: str) -> tuple[int, int]:
    part = find_block(path, shown, block, with_heading=True)
    data = read_part(path, shown, part)
    if not data:
        # The marker that begins an empty block.
        return part.first - 1, part.first - 1
    return part.first, part.first + data.count(b"\n") - data.endswith(b"\n")


def _large_text(path: Path, shown: str, lines: tuple[int, int]) -> str:
    part = find_lines(path, shown, *lines)
    charset = large_charset(path, shown)
    return read_part(path, shown, part).decode(charset, "replace")


async def _title(path: Path, text: str) -> str | None:
    """Return the title of a document; None for one whose parsing would take long."""
    if is_verbatim(path) or parsing_effort(text) > IN_A_THREAD:
        return None
    return (await sheet_of(text)).parsed.title
