"""A cache of file pages, valid as long as the file's status on disk is unchanged."""

from __future__ import annotations

import os
import time
from pathlib import Path

from stringd.documents.pages.lru_cache import LruCache
from stringd.documents.pages.page import Page
from stringd.documents.pages.parsing import MOST_WEIGHT, weight
from stringd.files.atomic import stamp

# A file can be written twice within one tick of its modification time.
_SETTLED = 100_000_000


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
