"""Which node to ask after the one that had the home did not answer, for a bounded time."""

from __future__ import annotations

import asyncio
from typing import Protocol

from stringd.plugin import StorageFailed
from stringd_cluster.engine.database_pool import is_passing
from stringd_cluster.homes.home_errors import NotAMember
from stringd_cluster.homes.home_moves import LONGEST_MOVE
from stringd_cluster.hop.lost_answers import OwnerUnreachable
from stringd_cluster.hop.peer_watch import PeerWatch
from stringd_cluster.membership.live_nodes import Node

_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.5


class Places(Protocol):
    """Where the homes of users are."""

    async def locate(self, user_id: str) -> Node | None:
        """Return the node to ask for a user, None if it is this one."""

    def forget_place(self, user_id: str) -> None:
        """Look up again where a home is."""


class NextOwner:
    """Looks up the owner of a home again and again; its time begins with the first failure."""

    def __init__(self, places: Places, watch: PeerWatch, user_id: str, seconds: float) -> None:
        self._places = places
        self._watch = watch
        self._user_id = user_id
        self._seconds = seconds
        self._deadline: float | None = None
        self._pause = _FIRST_PAUSE
        self._is_moving = False

    def expect_move(self) -> None:
        """Look for as long as a move may take, too: the node that was asked passes the home on."""
        self._is_moving = True

    async def after(self, failed: Node | None) -> Node | None:
        """Return the node to ask now, None if it is this one; raise `OwnerUnreachable` when time is up."""
        now = asyncio.get_running_loop().time()
        if self._deadline is None:
            self._deadline = now + self._seconds
        left = self._deadline - now + (LONGEST_MOVE if self._is_moving else 0)
        self._is_moving = False
        if left <= 0:
            raise OwnerUnreachable
        self._places.forget_place(self._user_id)
        found = await self._located(failed)
        if found == failed:
            # It may come back, or lose its lease: then the nodes change.
            await self._watch.change(min(self._pause, left))
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        return found

    async def _located(self, failed: Node | None) -> Node | None:
        """Return the owner; the one that did not answer if nobody can say, for as long as that may pass."""
        try:
            return await self._places.locate(self._user_id)
        except NotAMember:
            return failed
        except StorageFailed as failure:
            if not is_passing(failure):
                raise
            return failed
