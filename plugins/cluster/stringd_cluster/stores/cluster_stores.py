"""All stores of a node, which hold in memory what belongs to its homes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from stringd.plugin.stores import LocalStorages, Peers, Stores, local_stores
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.engine.notifications import Notifications
from stringd_cluster.homes.owned_homes import OwnedHomes
from stringd_cluster.stores.head_table import HeadTable
from stringd_cluster.stores.log_table import LogTable
from stringd_cluster.stores.output_index import OutputIndex
from stringd_cluster.stores.request_table import RequestTable
from stringd_cluster.stores.secret_table import FOR_ALL, SecretTable
from stringd_cluster.stores.session_table import SessionTable
from stringd_cluster.stores.storage_table import StorageTable
from stringd_cluster.stores.undo_table import UndoTable
from stringd_cluster.stores.user_table import UserTable


class ClusterStores:
    """Makes the record of the stores, and fills them when homes come and go."""

    def __init__(
        self, pool: ConnectionPool, homes: OwnedHomes, notifications: Notifications, node: str
    ) -> None:
        self._pool = pool
        self._homes = homes
        self._notifications = notifications
        self._node = node
        self.users = UserTable(pool, homes, notifications)
        self._secrets = SecretTable(pool, homes, notifications)
        self._sessions = SessionTable(pool, homes)
        self._undo = UndoTable(pool, homes)
        self._requests = RequestTable(pool, homes)
        self._logs = LogTable(pool, homes)
        self._heads = HeadTable(pool, node)

    def record(
        self, report: Callable[[str], None], serves: Callable[[str], bool], peers: Peers | None = None
    ) -> Stores:
        """Return what the runtime keeps its state in; outputs stay on the node's disk."""
        outputs = local_stores(report).outputs
        return Stores(
            users=self.users,
            sessions=self._sessions,
            undo=self._undo,
            outputs=OutputIndex(self._pool, self._homes, self._notifications, self._node, outputs),
            secrets=self._secrets,
            storages=LocalStorages(report, partial(StorageTable, self._pool)),
            requests=self._requests,
            logs=self._logs,
            heads=self._heads,
            on_demand=True,
            peers=peers,
            serves=serves,
        )

    async def load_shared(self) -> None:
        """Read what every node has: users, and secrets for all of them."""
        await self.users.load()
        await self._secrets.load(FOR_ALL)

    async def load(self, user_id: str) -> None:
        """Read what belongs to a home that was claimed."""
        await self.users.load(user_id)
        await self._secrets.load(user_id)

    async def settle(self, user_id: str) -> None:
        """Return once all is stored of what was done before a home was released."""
        await self._logs.settle(user_id)

    def forget(self, user_id: str) -> None:
        """Forget what belongs to a home that has left."""
        self._secrets.unload(user_id)
        self._logs.forget(user_id)
