"""A few worker processes for all topics, started on demand and ended after some idle time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from stringd.api.workers import Budget, OnParts
from stringd.processes.proc import resident_memory
from stringd.workers.confinement import Seal
from stringd.workers.fair_queue import FairQueue
from stringd.workers.worker import Worker

T = TypeVar("T")

_FEWEST, _MOST = 2, 4
_IDLE_SECONDS = 60.0
# A larger process is replaced: the next job cannot use the memory that the last one left.
_LARGEST = 256 * 1024 * 1024


class WorkerPool:
    """Runs jobs in worker processes; implements `Workers`.

    Each process imports `modules` before it is sealed.
    """

    def __init__(self, seal: Seal = Seal.READING, modules: Sequence[str] = ()) -> None:
        self._seal = seal
        self._modules = modules
        self._queue = FairQueue(max(_FEWEST, min(_MOST, os.cpu_count() or _FEWEST)))
        self._idle: list[tuple[Worker, asyncio.TimerHandle]] = []
        self._busy: set[Worker] = set()

    async def run(
        self,
        job: Callable[..., T],
        *arguments: object,
        owner: str,
        budget: Budget,
        on_parts: OnParts | None = None,
    ) -> T:
        """Call a module-level function in a worker process and return its result; see `Workers`."""
        used = 0.0
        await self._queue.enter(owner)
        try:
            worker = self._worker()
            try:
                return await self._run_in(worker, job, arguments, budget, on_parts)
            finally:
                used = worker.used
        finally:
            self._queue.leave(owner, used)

    def close(self) -> None:
        """End all processes."""
        for worker, timer in self._idle:
            timer.cancel()
            worker.kill()
        for worker in self._busy:
            worker.kill()
        self._idle.clear()
        self._busy.clear()

    async def _run_in(
        self,
        worker: Worker,
        job: Callable[..., T],
        arguments: tuple[object, ...],
        budget: Budget,
        on_parts: OnParts | None,
    ) -> T:
        """Run a job; keep the process for the next one unless it may still be busy."""
        try:
            result: T = await worker.run(job, arguments, budget, on_parts)
            return result
        finally:
            self._busy.discard(worker)
            if worker.is_free and resident_memory(worker.pid) <= _LARGEST:
                self._keep(worker)
            else:
                worker.kill()

    def _worker(self) -> Worker:
        while self._idle:
            worker, timer = self._idle.pop()
            timer.cancel()
            if worker.is_alive:
                break
            worker.kill()
        else:
            worker = Worker(self._seal, self._modules)
        self._busy.add(worker)
        return worker

    def _keep(self, worker: Worker) -> None:
        loop = asyncio.get_running_loop()
        self._idle.append((worker, loop.call_later(_IDLE_SECONDS, self._retire, worker)))

    def _retire(self, worker: Worker) -> None:
        self._idle = [it for it in self._idle if it[0] is not worker]
        worker.kill()
