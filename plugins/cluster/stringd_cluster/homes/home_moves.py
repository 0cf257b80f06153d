"""Take a home, pass it on to another node, or drop what was lost: what happens to its topics then."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Protocol

from stringd.plugin import HomeReleased, HomeRestored, Runtime, StorageFailed
from stringd_cluster.engine.database_pool import ConnectionPool, is_passing
from stringd_cluster.homes.home_claim import claim, give_up
from stringd_cluster.homes.home_errors import HomeElsewhere, HomeTaken
from stringd_cluster.homes.owned_homes import OwnedHome, OwnedHomes

log = logging.getLogger(__name__)

GRACE_SECONDS = 10.0
"""How long running commands may go on before their home is passed on."""
END_SECONDS = 3.0
LONGEST_MOVE = GRACE_SECONDS + END_SECONDS
_RETRY_SECONDS = 0.1


class HomeState(Protocol):
    """What this node keeps in memory of the state of its homes."""

    async def load(self, user_id: str) -> None:
        """Read what belongs to a home that was claimed, or raise `StorageFailed`."""

    async def settle(self, user_id: str) -> None:
        """Return once all is stored of what was done before a home was released."""

    def forget(self, user_id: str) -> None:
        """Forget what belongs to a home that has left."""


class HomeMoves:
    """Claims homes and restores their topics; one move of a home at a time."""

    def __init__(
        self,
        runtime: Runtime,
        pool: ConnectionPool,
        homes: OwnedHomes,
        stores: HomeState,
        own_id: Callable[[], str],
    ) -> None:
        self._runtime = runtime
        self._pool = pool
        self._homes = homes
        self._stores = stores
        self._own_id = own_id
        self._moving: dict[str, asyncio.Task[None]] = {}

    async def take(self, user_id: str) -> None:
        """Make this node the owner of a home, and serve it.

        Raises `HomeTaken` if another node has it, or if it has left: another one may be meant to have it.
        """
        if move := self._moving.get(user_id):
            await asyncio.wait((move,))
            if self.is_ready(user_id):
                return
            if not move.cancelled() and (failure := move.exception()):
                raise failure
            raise HomeTaken(user_id)
        await self._begin(user_id, self._take(user_id))

    async def release(self, user_id: str) -> None:
        """Pass a home on: end its topics in order, store them, and give it up."""
        if user_id not in self._moving and self.is_ready(user_id):
            await self._begin(user_id, self._release(user_id))

    async def drop_all(self) -> None:
        """End the topics of all homes, which other nodes may have by now: nothing is stored any more."""
        users = tuple(self._homes)
        for user_id in users:
            self._homes.remove(user_id)
            self._stores.forget(user_id)
            self._runtime.events.publish(HomeReleased(user_id=user_id))
        ending = (self._runtime.release_topics(it, seconds=END_SECONDS, stored=False) for it in users)
        await asyncio.gather(*ending)

    def is_ready(self, user_id: str) -> bool:
        """Whether a home is this node's, and its topics are restored."""
        home = self._homes.get(user_id)
        return home is not None and home.is_ready

    def is_leaving(self, user_id: str) -> bool:
        """Whether a home is passed on as soon as what still runs for it here has ended."""
        home = self._homes.get(user_id)
        return home is not None and home.is_leaving

    async def _begin(self, user_id: str, move: Coroutine[None, None, None]) -> None:
        """Run a move to its end, even if the request that needs it is gone."""
        task = self._moving[user_id] = asyncio.ensure_future(move)
        task.add_done_callback(lambda _: self._moving.pop(user_id, None))
        await asyncio.shield(task)

    async def _take(self, user_id: str) -> None:
        node_id = self._own_id()
        home = self._homes.add(user_id, await claim(self._pool, user_id, node_id))
        try:
            await self._stores.load(user_id)
            await self._runtime.restore_topics(user_id)
        except BaseException:
            await self._undo(user_id, home, node_id)
            raise
        if self._homes.get(user_id) is not home or self._own_id() != node_id:
            # The lease was lost meanwhile.
            await self._runtime.release_topics(user_id, seconds=END_SECONDS, stored=False)
            raise HomeElsewhere(user_id)
        home.is_ready = True
        self._runtime.events.publish(HomeRestored(user_id=user_id))

    async def _undo(self, user_id: str, home: OwnedHome, node_id: str) -> None:
        if self._homes.get(user_id) is home:
            self._homes.remove(user_id)
        self._stores.forget(user_id)
        await self._runtime.release_topics(user_id, seconds=END_SECONDS, stored=False)
        with suppress(StorageFailed):
            await self._give_up(user_id, node_id, home)

    async def _release(self, user_id: str) -> None:
        node_id, home = self._own_id(), self._homes.get(user_id)
        if home is None:
            return
        home.is_ready, home.is_leaving = False, True
        self._runtime.events.publish(HomeReleased(user_id=user_id))
        await self._runtime.release_topics(user_id, seconds=END_SECONDS, stored=True, grace=GRACE_SECONDS)
        await self._stores.settle(user_id)
        if self._homes.get(user_id) is home:
            self._homes.remove(user_id)
            self._stores.forget(user_id)
            await self._give_up(user_id, node_id, home)

    async def _give_up(self, user_id: str, node_id: str, home: OwnedHome) -> None:
        """Let other nodes have a home; without the database, try again as long as the lease lasts."""
        while self._own_id() == node_id:
            try:
                await give_up(self._pool, user_id, node_id, home.epoch)
            except StorageFailed as failure:
                if not is_passing(failure):
                    raise
                log.info("the home of %s can't be given up yet: %s", user_id, failure)
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                return
