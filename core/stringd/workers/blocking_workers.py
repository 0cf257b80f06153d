"""Worker processes for programs without an event loop."""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property
from threading import Lock
from typing import Any, TypeVar

from stringd.api.workers import Budget
from stringd.workers.confinement import Seal
from stringd.workers.pool import WorkerPool

T = TypeVar("T")


class BlockingWorkers:
    """A pool with an event loop of its own, usable from any thread; its processes end with the program."""

    def __init__(self, seal: Seal = Seal.READING, modules: Sequence[str] = ()) -> None:
        self.pool = WorkerPool(seal, modules)
        self._lock = Lock()

    @cached_property
    def _runner(self) -> asyncio.Runner:
        atexit.register(self.close)
        return asyncio.Runner()

    def run(self, job: Callable[..., T], *arguments: object, budget: Budget) -> T:
        """Call a module-level function in a worker process and return its result; see `Workers`."""
        return self.wait_for(self.pool.run(job, *arguments, owner="", budget=budget))

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine that uses the pool and return its result."""
        with self._lock:
            return self._runner.run(work)

    def close(self) -> None:
        """End the processes."""
        self.pool.close()
        self._runner.close()
