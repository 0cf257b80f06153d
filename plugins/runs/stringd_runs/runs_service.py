"""The runs of one daemon: what they are made of, and the service that begins and ends with the daemon."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import AsyncIterator
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from stringd.plugin import (
    Event,
    EventFilter,
    HomeReleased,
    HomeRestored,
    Observer,
    Published,
    Runtime,
    UserRemoved,
)
from stringd.plugin.workers import STORAGE
from stringd_runs.histories.history_file import has_histories
from stringd_runs.serving.run_endpoint import RunEndpoint
from stringd_runs.tools.run_topics import run_topics

log = logging.getLogger(__name__)

if TYPE_CHECKING:
    from stringd_runs.histories.history_store import HistoryStore
    from stringd_runs.providers.provider_catalogue import ProviderCatalogue
    from stringd_runs.running.runs import Runs


class RunsService:
    """All runs of a daemon, and what they share. The rooms are imported with the first use."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._has_closed_histories = asyncio.Event()
        self._resuming: dict[str, asyncio.Task[None]] = {}
        self.endpoint = RunEndpoint(runtime, lambda: self.runs, lambda: self.providers)

    async def serve(self) -> None:
        """Clean up after an earlier daemon and users who are removed; stop everything with this daemon."""
        bus = self._runtime.events
        with bus.watch(EventFilter(kinds={UserRemoved.kind})) as events, bus.observe(self._homes()):
            await self._close_histories()
            if any(run_topics(self._runtime)):
                await self.runs.end_left_topics()
            forgetting = asyncio.create_task(self._forget_users(events))
            await self._runtime.stopping()
            forgetting.cancel()
        await self.runs.close()
        await self.endpoint.close()

    def _homes(self) -> Observer:
        """Return what goes on with the runs of users who come to this node, and stops those who leave."""
        kinds = frozenset({HomeRestored.kind, HomeReleased.kind})
        return Observer(name="homes-of-runs", on_event=self._follow_home, kinds=kinds)

    def _follow_home(self, event: Event) -> None:
        if event.user_id is None or not self._has_shared_histories:
            return
        if resuming := self._resuming.pop(event.user_id, None):
            resuming.cancel()
        if isinstance(event, HomeRestored):
            resumption = self.runs.resume(event.user_id)
            loop = asyncio.get_running_loop()
            self._resuming[event.user_id] = loop.create_task(resumption, context=contextvars.Context())
        elif "runs" in vars(self):
            self.runs.release(event.user_id)
            self.endpoint.release(event.user_id)

    @property
    def _has_shared_histories(self) -> bool:
        return self._runtime.logs is not None

    async def _close_histories(self) -> None:
        """Close the histories of an earlier daemon; without any, their store need not be imported yet.

        Those that other nodes can go on with are left to them.
        """
        try:
            if self._has_shared_histories:
                return
            if await STORAGE.run(has_histories, self._runtime.config.data_dir):
                await self._store.close_open()
        finally:
            self._has_closed_histories.set()

    async def _forget_users(self, events: AsyncIterator[Published]) -> None:
        async for published in events:
            user_id = published.event.user_id
            if isinstance(published.event, UserRemoved) and user_id:
                await self._forget(user_id, published.event.at)

    async def _forget(self, user_id: str, removed_at: float) -> None:
        try:
            await self.runs.forget_user(user_id, removed_at)
        except OSError as error:
            log.warning("cannot remove the histories of a user: %s", error)

    @cached_property
    def runs(self) -> Runs:
        """The runs."""
        from stringd_runs.running.runs import Runs
        from stringd_runs.running.strategy_loader import StrategyLoader

        return Runs(self._runtime, self._store, StrategyLoader(self._runtime, self.providers))

    @cached_property
    def providers(self) -> ProviderCatalogue:
        """The providers of models."""
        from stringd_runs.providers.provider_catalogue import ProviderCatalogue

        return ProviderCatalogue(self._runtime)

    @property
    def active(self) -> int:
        """How many runs are pending or running."""
        return self.runs.active if "runs" in vars(self) else 0

    @cached_property
    def _store(self) -> HistoryStore:
        from stringd_runs.histories.history_logs import HistoryFiles
        from stringd_runs.histories.history_store import HistoryStore

        shared = self._runtime.logs
        logs = shared or HistoryFiles(self._runtime.config.data_dir)
        return HistoryStore(logs, self._has_closed_histories, is_shared=shared is not None)


_services: WeakKeyDictionary[Runtime, RunsService] = WeakKeyDictionary()


def runs_service(runtime: Runtime) -> RunsService:
    """Return the one service of a daemon."""
    service = _services.get(runtime)
    if service is None:
        service = _services[runtime] = RunsService(runtime)
    return service
