"""Which node has a user's home, or should take it: remembered as long as nothing says otherwise."""

from __future__ import annotations

from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.engine.notifications import Notifications
from stringd_cluster.homes.home_claim import look_up
from stringd_cluster.homes.home_errors import HomeUnavailable
from stringd_cluster.membership.known_nodes import KnownNodes
from stringd_cluster.membership.live_nodes import Node
from stringd_cluster.membership.placement import preferred

_MOST_REMEMBERED = 100_000


class HomePlaces:
    """Finds the nodes of homes; a place that is out of date is told by that node, and forgotten then."""

    def __init__(self, pool: ConnectionPool, nodes: KnownNodes, notifications: Notifications) -> None:
        self._pool = pool
        self._nodes = nodes
        self._owners: dict[str, str] = {}
        notifications.listen("stringd_homes", self.forget)

    def known(self, user_id: str) -> Node | None:
        """Return the node that had a home when it was looked up, if that node is there."""
        return self._nodes.by_id.get(self._owners.get(user_id, ""))

    def forget(self, user_id: str) -> None:
        """Look a home up again the next time, or all of them."""
        if user_id:
            self._owners.pop(user_id, None)
        else:
            self._owners.clear()

    async def find(self, user_id: str) -> Node:
        """Look up the node that has a home, or else should take it; raise `HomeUnavailable` if none may."""
        home = await look_up(self._pool, user_id)
        if not home.is_free and home.owner:
            if home.owner not in self._nodes.by_id:
                await self._nodes.read()
            if owner := self._nodes.by_id.get(home.owner):
                self._remember(user_id, owner)
                return owner
        chosen = preferred(self._nodes.by_id.values(), user_id, home.label, home.moved_to)
        if chosen is None:
            raise HomeUnavailable(home.label)
        return chosen

    def _remember(self, user_id: str, owner: Node) -> None:
        if len(self._owners) >= _MOST_REMEMBERED:
            self._owners.clear()
        self._owners[user_id] = owner.id
