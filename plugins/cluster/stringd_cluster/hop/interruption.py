"""The end of what a task does, from outside of it, for a reason."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self


class Interruption:
    """Ends what runs in its context with an exception, when it is told to."""

    def __init__(self) -> None:
        self._task: asyncio.Task[object] | None = None
        self._reason: Exception | None = None

    def __enter__(self) -> Self:
        self._task = asyncio.current_task()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        task, self._task = self._task, None
        if self._reason is None or task is None:
            return
        if task.uncancel() == 0 and isinstance(error, asyncio.CancelledError):
            raise self._reason from None

    def interrupt(self, reason: Exception) -> None:
        """End it, unless that has happened before or it has ended by itself."""
        if self._task is not None and self._reason is None:
            self._reason = reason
            self._task.cancel()
