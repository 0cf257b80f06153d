"""Garbage collection in the processes that read documents."""

from __future__ import annotations

import gc

_THRESHOLDS = 50_000, 20, 50


def collect_rarely() -> None:
    """Leave all objects of now out of garbage collection, and scan those to come rarely.

    Objects from startup are never freed. A large document consists of up to a million live objects: scanning
    them as often as Python does by default would take half of the time of parsing Markdown.
    """
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    gc.enable()
