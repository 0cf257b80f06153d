"""Pages of files: known again where they lie as they did, else read, in a thread if that may take long."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from stringd.documents.pages.binary_files import describe_binary
from stringd.documents.pages.includes import Read
from stringd.documents.pages.page import Page, file_page
from stringd.documents.pages.parsing import sheet_of
from stringd.documents.pages.recent_pages import RecentPages
from stringd.documents.paths.text_files import NoText, read_text
from stringd.documents.syntax.verbatim import is_verbatim, verbatim_sheet
from stringd.text.printable import printable
from stringd.workers.threads import READING, STORAGE

T = TypeVar("T")

# Up to here a page is read and taken apart faster than a thread is asked to.
SMALL = 16 * 1024
_DIRECTIVE = "[!"


async def open_file(path: Path, shown: str, read_linked: Read) -> Page:
    """Return the page of the file at a real path, or refuse; what it names is found through `read_linked`."""
    status = _status(path)
    page = _recent.get(path, status) if status else None
    if page is None:
        is_small = status is None or (stat.S_ISREG(status.st_mode) and status.st_size <= SMALL)
        page = await _read(path, shown, read_linked, is_small=is_small)
        if status:
            _recent.put(path, status, page)
    return page


async def _read(path: Path, shown: str, read_linked: Read, *, is_small: bool) -> Page:
    try:
        text = read_text(path, shown) if is_small else await STORAGE.run(read_text, path, shown)
    except NoText as refusal:
        sheet = verbatim_sheet(describe_binary(path, refusal.size), title=printable(path.name))
        return Page(uri=path.as_uri(), path=path, source="", sheet=sheet)
    if not is_verbatim(path):
        await sheet_of(text)
    # What it may include, or read a menu from, is of any size.
    is_quick = is_small and _DIRECTIVE not in text
    return await done(lambda: _page(path, text, read_linked), here=is_quick)


def _page(path: Path, text: str, read_linked: Read) -> Page:
    if is_verbatim(path):
        return Page(uri=path.as_uri(), path=path, source=text, sheet=verbatim_sheet(text))
    return file_page(path, text, read_linked)


async def done(work: Callable[[], T], *, here: bool) -> T:
    """Return what is made, at once or by a thread."""
    return work() if here else await READING.run(work)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


_recent = RecentPages()
