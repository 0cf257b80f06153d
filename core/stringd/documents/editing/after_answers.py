"""Work that an edit leaves for after its answer, or for the next edit if that comes sooner."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from threading import Lock

from stringd.workers.threads import EDITING

log = logging.getLogger(__name__)

# An answer is sent in less.
_SECONDS = 0.001


def leave(work: Callable[[], object]) -> None:
    """Have work done in a thread, soon after the answer."""
    _left.append(work)
    asyncio.get_running_loop().call_later(_SECONDS, EDITING.begin, finish_left)


def finish_left() -> None:
    """Do the work that is left; what fails is logged, as it belongs to another edit."""
    with _working:
        while _left:
            try:
                _left.popleft()()
            except Exception:
                log.exception("what an edit has left to do failed")


_left: deque[Callable[[], object]] = deque()
_working = Lock()
