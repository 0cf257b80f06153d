"""Signals to all who wait for changes of something."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class ChangeSignals:
    """Sets a signal for each watcher when something has changed; all changes since it was cleared are one."""

    def __init__(self) -> None:
        self._watchers: set[asyncio.Event] = set()

    @contextmanager
    def watched(self) -> Iterator[asyncio.Event]:
        """Return an event that is set, in the context, whenever something has changed."""
        changed = asyncio.Event()
        self._watchers.add(changed)
        try:
            yield changed
        finally:
            self._watchers.discard(changed)

    def notify(self) -> None:
        """Tell all watchers that something has changed."""
        for changed in self._watchers:
            changed.set()
