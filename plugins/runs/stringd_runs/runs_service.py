"""The runs of one daemon: what they are made of, and the service that begins and ends with the daemon."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from stringd.plugin import Runtime
from stringd_runs.serving.run_endpoint import RunEndpoint
from stringd_runs.tools.run_topics import run_topics

if TYPE_CHECKING:
    from stringd_runs.histories.history_store import HistoryStore
    from stringd_runs.running.runs import Runs


class RunsService:
    """All runs of a daemon, and what they share. The rooms are imported with the first use."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.endpoint = RunEndpoint(runtime, lambda: self.runs)

    async def serve(self) -> None:
        """Clean up after an earlier daemon; stop all runs and connections when this one stops."""
        await self._store.close_open()
        if any(run_topics(self._runtime)):
            await self.runs.end_left_topics()
        await self._runtime.stopping()
        await self.runs.close()
        await self.endpoint.close()

    @cached_property
    def runs(self) -> Runs:
        """The runs."""
        from stringd_runs.running.runs import Runs
        from stringd_runs.running.strategy_loader import StrategyLoader

        return Runs(self._runtime, self._store, StrategyLoader(self._runtime))

    @property
    def active(self) -> int:
        """How many runs are pending or running."""
        return self.runs.active if "runs" in vars(self) else 0

    @cached_property
    def _store(self) -> HistoryStore:
        from stringd_runs.histories.history_store import HistoryStore

        return HistoryStore(self._runtime.config.data_dir)


_services: WeakKeyDictionary[Runtime, RunsService] = WeakKeyDictionary()


def runs_service(runtime: Runtime) -> RunsService:
    """Return the one service of a daemon."""
    service = _services.get(runtime)
    if service is None:
        service = _services[runtime] = RunsService(runtime)
    return service
