"""The newest entries of the log that a filter accepts, kept up to date by reading what was added only."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, field

from stringd_approval.audit.log_line import LogLine, parse_line
from stringd_approval.audit.reversed_log import read_backwards
from stringd_approval.console_pages.entry_filter import EntryFilter

MOST_ENTRIES = 100
_MOST_SECONDS = 1.5
_CHECKED_EVERY = 1000
_NUMBER = re.compile(rb'\{"seq":([0-9]{1,18}),')


class LogWindow(Struct, kw_only=True):
    """At most 100 entries before a number, newest first; reading stops after some time, and says where."""

    data_dir: Path
    wanted: EntryFilter
    before: int | None = None
    entries: tuple[LogLine, ...] = ()
    continues_before: int | None = None
    _newest: int = field(default=0)

    def refresh(self) -> None:
        """Read what was added since the last time; blocks, and raises `Fault` if the log can't be read."""
        if self._newest and self.before is not None:
            return
        known = self._newest
        found: list[LogLine] = []
        end = time.monotonic() + _MOST_SECONDS
        for count, entry in enumerate(self._entries(), 1):
            if entry.seq <= known:
                break
            self._newest = max(self._newest, entry.seq)
            if self.wanted.accepts(entry.fields):
                found.append(entry)
            if len(found) > MOST_ENTRIES or (count % _CHECKED_EVERY == 0 and time.monotonic() > end):
                self.continues_before = entry.seq + (len(found) > MOST_ENTRIES)
                break
        joined = (*found, *self.entries)
        self.entries = joined[:MOST_ENTRIES]
        if len(joined) > MOST_ENTRIES:
            self.continues_before = self.entries[-1].seq

    def _entries(self) -> Iterator[LogLine]:
        """Yield the entries before the number, the newest first."""
        for line in read_backwards(self.data_dir):
            if self.before is not None and _number(line) >= self.before:
                continue
            if entry := parse_line(line + b"\n"):
                yield entry


def _number(line: bytes) -> int:
    """Return the number of an entry without parsing all of it; 0 if it has none."""
    found = _NUMBER.match(line)
    return int(found[1]) if found else 0
