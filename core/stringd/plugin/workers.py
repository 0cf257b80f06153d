"""Threads for work that would block the event loop."""

from __future__ import annotations

from stringd.workers.threads import READING, STORAGE, Work, current_work

__all__ = [
    "READING",
    "STORAGE",
    "Work",
    "current_work",
]
