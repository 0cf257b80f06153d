"""The pages of unchanged files, kept in memory."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TypeAlias

from stringd.documents.pages.lru_cache import LruCache
from stringd.documents.pages.page import Page
from stringd.documents.pages.parsing import MOST_WEIGHT, weight
from stringd.files.atomic import stamp

# A file can be written twice within one tick of its modification time.
_SETTLED = 100_000_000
# A path is hashed and compared part by part, its text at once.
_Key: TypeAlias = tuple[str, tuple[int, ...], tuple[int, int] | None]


class RecentPages:
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
