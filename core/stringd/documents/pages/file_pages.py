"""Pages of files: cached, rendered by a plugin, read as documents, or with the facts of a binary file."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias, TypeVar

from stringd.api.load_options import UNRESTRICTED, LoadOptions
from stringd.api.runtime import Runtime
from stringd.documents.pages.cached_parsing import MOST_WEIGHT, sheet_of, weight
from stringd.documents.pages.includes import Read
from stringd.documents.pages.page import Page, file_page
from stringd.documents.pages.rendered_files import FileToShow, rendered_as, rendered_file
from stringd.documents.paths.text_files import NoText, read_text
from stringd.documents.syntax.structured import is_verbatim, verbatim_document
from stringd.errors import ErrorCode, Refusal
from stringd.files.atomic import stamp
from stringd.text.escaping import printable
from stringd.text.formatting import counted
from stringd.text.lru_cache import LruCache
from stringd.text.media_type_detection import rendered_type_of_name
from stringd.workers.threads import READING, STORAGE

T = TypeVar("T")

# Up to this size, reading and parsing a page takes less time than handing it to a thread.
SMALL = 16 * 1024
_DIRECTIVE = "[!"
_UNKNOWN = "application/octet-stream"
# A file can be written twice within one tick of its modification time.
_SETTLED = 100_000_000
# A path is hashed and compared part by part, its text at once.
_Key: TypeAlias = tuple[str, tuple[int, ...], tuple[int, int] | None]


class _RecentPages:
    """Pages without includes or menus, keyed by path, the file's status before it was read, and pages."""

    def __init__(self) -> None:
        self._pages: LruCache[_Key, Page] = LruCache(MOST_WEIGHT)

    def get(self, path: Path, status: os.stat_result, pages: tuple[int, int] | None = None) -> Page | None:
        """Return the page of an unchanged file, or None."""
        return self._pages.get((str(path), stamp(status), pages))

    def put(self, path: Path, status: os.stat_result, page: Page) -> None:
        """Add a page, unless it depends on other files or the file was written a moment ago."""
        untouched = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns)
        if page.stands_alone and untouched > _SETTLED:
            size = weight(page.sheet) + len(page.source)
            self._pages.put((str(path), stamp(status), page.options.pages), page, size)


_recent = _RecentPages()


async def open_file(
    path: Path, shown: str, read_linked: Read, runtime: Runtime, options: LoadOptions = UNRESTRICTED
) -> Page:
    """Return the page of the file at a real path, or refuse; what it names is found through `read_linked`.

    A file whose media type a plugin renders becomes the document that the renderer makes of it; `options` are
    for the renderer.
    """
    status = _status(path)
    if status is None:
        return await _read(path, shown, read_linked, is_small=True)
    page = _recent.get(path, status, options.pages)
    if page is None:
        file = FileToShow(
            path=path, shown=shown, status=status, read_linked=read_linked, runtime=runtime, options=options
        )
        page = await rendered_file(file)
        if page is None:
            page = await _read_unless_rendered(file)
        _recent.put(path, status, page)
    return page


async def _read_unless_rendered(file: FileToShow) -> Page:
    """Return the page of a text, or of what a plugin renders although its name says something else."""
    is_small = stat.S_ISREG(file.status.st_mode) and file.status.st_size <= SMALL
    try:
        page = await _read(file.path, file.shown, file.read_linked, is_small=is_small)
    except NoText as refusal:
        rendered = await rendered_as(refusal.kind, file)
        if rendered:
            return rendered
        page = _binary_page(file.path, refusal.size)
    if file.options.pages:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"Not a document with pages: {file.shown}")
    return page


def _binary_page(path: Path, size: int) -> Page:
    sheet = verbatim_document(describe_binary(path, size), title=printable(path.name))
    return Page(uri=path.as_uri(), path=path, source="", sheet=sheet)


async def _read(path: Path, shown: str, read_linked: Read, *, is_small: bool) -> Page:
    text = read_text(path, shown) if is_small else await STORAGE.run(read_text, path, shown)
    if not is_verbatim(path):
        await sheet_of(text)
    # Its includes and menus may be of any size.
    is_quick = is_small and _DIRECTIVE not in text
    return await done(lambda: _page(path, text, read_linked), here=is_quick)


def _page(path: Path, text: str, read_linked: Read) -> Page:
    if is_verbatim(path):
        return Page(uri=path.as_uri(), path=path, source=text, sheet=verbatim_document(text))
    return file_page(path, text, read_linked)


async def done(work: Callable[[], T], *, here: bool) -> T:
    """Return the result of a function, called at once or in a thread."""
    return work() if here else await READING.run(work)


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except OSError:
        return None


def describe_binary(path: Path, size: int) -> str:
    """Return a page about a file that is no text."""
    return facts_page(printable(path.name), rendered_type_of_name(path.name) or _UNKNOWN, size)


def facts_page(title: str, kind: str, size: int, more: Mapping[str, str] | None = None) -> str:
    """Return a page that tells the type and the size of something in bytes, and what else is known."""
    facts = {"type": kind, "size": counted(size, "byte"), **(more or {})}
    return "".join((f"# {title}\n\n", *(f"{name}: {it}\n" for name, it in facts.items())))
