"""Pages of files that were opened lately and lie on the disk as they did then."""

from __future__ import annotations

import os
import time
from pathlib import Path

from stringd.documents.pages.lru_cache import Remembered
from stringd.documents.pages.page import Page
from stringd.documents.pages.parsing import MOST_WEIGHT, weight
from stringd.files.atomic import stamp

# A file that was written just now can be written again without a new time on it.
_SETTLED = 100_000_000


class RecentPages:
    """Pages that are all in their file, each with what the disk said of the file before it was read."""

    def __init__(self) -> None:
        self._pages: Remembered[tuple[Path, tuple[int, ...]], Page] = Remembered(MOST_WEIGHT)

    def get(self, path: Path, status: os.stat_result) -> Page | None:
        """Return the page of a file that was not touched since."""
        return self._pages.get((path, stamp(status)))

    def keep(self, path: Path, status: os.stat_result, page: Page) -> None:
        """Keep a page, unless it hangs on other files too, or the file was written a moment ago."""
        untouched = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns)
        if page.stands_alone and untouched > _SETTLED:
            self._pages.keep((path, stamp(status)), page, weight(page.sheet))
