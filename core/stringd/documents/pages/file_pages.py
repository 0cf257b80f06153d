"""Pages of files: cached, rendered by a plugin, read as documents, or with the facts of a binary file."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from stringd.api.documents import Document, LoadedBytes
from stringd.api.runtime import Runtime
from stringd.api.zones import Zone
from stringd.documents.pages.includes import Read
from stringd.documents.pages.lru_cache import LruCache
from stringd.documents.pages.page import Page, file_page, outlined_page
from stringd.documents.pages.parsing import MOST_WEIGHT, sheet_of, weight
from stringd.documents.paths.text_files import LIMIT, NoText, read_bytes, read_text
from stringd.documents.syntax.verbatim import has_document_name, is_verbatim, verbatim_document
from stringd.files.atomic import stamp
from stringd.text.escaping import printable
from stringd.text.formatting import counted
from stringd.text.media_type_detection import detect_media_type, media_type_of_name, rendered_type_of_name
from stringd.workers.threads import READING, STORAGE

T = TypeVar("T")

# Up to this size, reading and parsing a page takes less time than handing it to a thread.
SMALL = 16 * 1024
_DIRECTIVE = "[!"
# A file can be written twice within one tick of its modification time.
_SETTLED = 100_000_000
_UNKNOWN = "application/octet-stream"


async def open_file(path: Path, shown: str, read_linked: Read, runtime: Runtime) -> Page:
    """Return the page of the file at a real path, or refuse; what it names is found through `read_linked`.

    A file whose media type a plugin renders becomes the document that the renderer makes of it.
    """
    status = _status(path)
    if status and status.st_size <= LIMIT and (page := await _rendered(path, shown, read_linked, runtime)):
        return page
    page = _recent.get(path, status) if status else None
    if page is None:
        is_small = status is None or (stat.S_ISREG(status.st_mode) and status.st_size <= SMALL)
        page = await _read(path, shown, read_linked, is_small=is_small)
        if status:
            _recent.put(path, status, page)
    return page


async def _rendered(path: Path, shown: str, read_linked: Read, runtime: Runtime) -> Page | None:
    """Return the page of a file whose media type a plugin renders; None for other files."""
    media_type = None if has_document_name(path) else rendered_type_of_name(path.name)
    if media_type is None or not runtime.renders(media_type):
        return None
    body, uri = await STORAGE.run(read_bytes, path, shown), path.as_uri()
    if detect_media_type(media_type, body, uri) != media_type:
        return None
    loaded = LoadedBytes(uri=uri, media_type=media_type, body=body, zone=Zone.LOOPBACK)
    document = await runtime.render(loaded)
    return await done(lambda: _rendered_page(path, body, document, read_linked), here=False)


def _rendered_page(path: Path, body: bytes, document: Document, read_linked: Read) -> Page:
    """Return the page of a rendered file; what commands that edit have seen of it is the file's own text."""
    if document.outline is None:
        page = file_page(path, document.text, read_linked)
    else:
        page = outlined_page(document, document.outline)
    return replace(page, uri=path.as_uri(), path=path, source=_text_of(body), zone=Zone.LOOPBACK)


def _text_of(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return ""


async def _read(path: Path, shown: str, read_linked: Read, *, is_small: bool) -> Page:
    try:
        text = read_text(path, shown) if is_small else await STORAGE.run(read_text, path, shown)
    except NoText as refusal:
        sheet = verbatim_document(describe_binary(path, refusal.size), title=printable(path.name))
        return Page(uri=path.as_uri(), path=path, source="", sheet=sheet)
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
        return path.lstat()
    except OSError:
        return None


class RecentPages:
    """Pages without includes or menus, keyed by path and by the file's status before it was read."""

    def __init__(self) -> None:
        self._pages: LruCache[tuple[Path, tuple[int, ...]], Page] = LruCache(MOST_WEIGHT)

    def get(self, path: Path, status: os.stat_result) -> Page | None:
        """Return the page of an unchanged file, or None."""
        return self._pages.get((path, stamp(status)))

    def put(self, path: Path, status: os.stat_result, page: Page) -> None:
        """Add a page, unless it depends on other files or the file was written a moment ago."""
        untouched = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns)
        if page.stands_alone and untouched > _SETTLED:
            self._pages.put((path, stamp(status)), page, weight(page.sheet))


_recent = RecentPages()


def describe_binary(path: Path, size: int) -> str:
    """Return a page about a file that is no text."""
    return facts_page(printable(path.name), media_type_of_name(path.name) or _UNKNOWN, size)


def facts_page(title: str, kind: str, size: int, more: Mapping[str, str] | None = None) -> str:
    """Return a page that tells the type and the size of something in bytes, and what else is known."""
    facts = {"type": kind, "size": counted(size, "byte"), **(more or {})}
    return "".join((f"# {title}\n\n", *(f"{name}: {it}\n" for name, it in facts.items())))
