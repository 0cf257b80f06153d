"""Threads for work that must not hold up the event loop, and how far work in processes is."""

from __future__ import annotations

from stringd.workers.job_progress import report_parts
from stringd.workers.threads import READING, STORAGE

__all__ = [
    "READING",
    "STORAGE",
    "report_parts",
]
