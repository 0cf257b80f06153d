"""Threads for work that would block the event loop, and progress reports of worker processes."""

from __future__ import annotations

from stringd.workers.protocol import report_parts
from stringd.workers.threads import READING, STORAGE, Work, current_work

__all__ = [
    "READING",
    "STORAGE",
    "Work",
    "current_work",
    "report_parts",
]
