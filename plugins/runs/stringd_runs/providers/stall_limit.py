"""A time limit for each event of an answer, of which there may be thousands a second."""

from __future__ import annotations

import asyncio
from types import TracebackType


class StallLimit:
    """Raises `TimeoutError` where one `with` block takes longer than `seconds`, as `asyncio.timeout` does.

    It can be entered again and again. Its timer is set once, and looks after that time how long the present
    block has taken: setting a timer for each event would take longer than all else that happens to the event.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._until: float | None = None
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        self._has_expired = False

    def __enter__(self) -> None:
        """Begin to wait."""
        self._task = asyncio.current_task()
        assert self._task is not None
        self._cancelling = self._task.cancelling()
        self._until = until = self._loop.time() + self.seconds
        if self._timer is None or self._timer.when() > until:
            self._set_timer(until)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait no longer; a cancellation by the timer becomes a `TimeoutError`."""
        self._until = None
        if self._has_expired:
            self._has_expired = False
            assert self._task is not None
            if self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
                raise TimeoutError from error

    def close(self) -> None:
        """Free the timer."""
        if self._timer:
            self._timer.cancel()

    def _set_timer(self, when: float) -> None:
        self.close()
        self._timer = self._loop.call_at(when, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._until is None or self._task is None:
            return
        if self._loop.time() < self._until:
            self._set_timer(self._until)
        else:
            self._has_expired = True
            self._task.cancel()
