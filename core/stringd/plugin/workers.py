"""Threads for blocking work, progress of worker processes, and calls that contain what others raise."""

from __future__ import annotations

from stringd.workers.guarded_calls import call as guarded_call
from stringd.workers.guarded_calls import call_async as guarded_call_async
from stringd.workers.protocol import report_parts
from stringd.workers.threads import READING, STORAGE, Work, current_work

__all__ = [
    "READING",
    "STORAGE",
    "Work",
    "current_work",
    "guarded_call",
    "guarded_call_async",
    "report_parts",
]
