"""`ClusterNode`: this daemon as a node of a cluster, from when it joins until it leaves."""

from __future__ import annotations

import asyncio
import logging
import secrets
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress

from stringd.plugin import VERSION, Fault, Runtime, StorageFailed
from stringd.plugin.stores import HomeMoved
from stringd_cluster.admittance import require_admittance
from stringd_cluster.cluster_settings import ClusterSettings
from stringd_cluster.engine.database_pool import ConnectionPool
from stringd_cluster.engine.database_url import check_url
from stringd_cluster.engine.notifications import Notifications
from stringd_cluster.homes.home_claim import ordered_away, waiting_for_an_owner
from stringd_cluster.homes.home_errors import HomeElsewhere, HomeTaken, NotAMember
from stringd_cluster.homes.home_moves import HomeMoves
from stringd_cluster.homes.home_places import HomePlaces
from stringd_cluster.homes.owned_homes import OwnedHomes
from stringd_cluster.hop.node_identity import NodeIdentity
from stringd_cluster.listen_address import advertised_address
from stringd_cluster.membership.boot_clock import boot_time
from stringd_cluster.membership.known_nodes import KnownNodes
from stringd_cluster.membership.lease import Lease, LeaseLost
from stringd_cluster.membership.live_nodes import NameTaken, Node, join, leave
from stringd_cluster.stores.cluster_stores import ClusterStores
from stringd_cluster.unsafe_modes import switched_off

log = logging.getLogger(__name__)

_RETRY_SECONDS = 0.2
_LOOK_AGAIN_SECONDS = 5.0
_PATIENCE_SECONDS = 2.0
_MOVES_AT_ONCE = 16
_MOST_TRIES = 5


class ClusterNode:
    """Joins the cluster, holds its lease, and knows which homes are here and where the others are."""

    def __init__(self, runtime: Runtime, settings: ClusterSettings, identity: NodeIdentity) -> None:
        self.runtime = runtime
        self.settings = settings
        self.identity = identity
        self.name = identity.name
        self.pool = ConnectionPool(settings.url, stale_seconds=settings.lease_seconds)
        self.notifications = Notifications(settings.url)
        self.homes = OwnedHomes(self.pool)
        self.stores = ClusterStores(self.pool, self.homes, self.notifications, self.name)
        self._lease: Lease | None = None
        self._joined = asyncio.Event()
        self._has_left = False
        self._known = KnownNodes(self.pool, self.notifications)
        self._places = HomePlaces(self.pool, self._known, self.notifications)
        self._moves = HomeMoves(runtime, self.pool, self.homes, self.stores, lambda: self.id)
        self._look = asyncio.Event()
        self.notifications.listen("stringd_homes", lambda _: self._look.set())
        self._known.when_changed(self._look.set)

    @property
    def id(self) -> str:
        """The id of the present lease, `""` without one; it never returns once the lease is lost."""
        return self._lease.node_id if self._lease else ""

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The live nodes by id, this one included, as they were when this one last heard of them."""
        return self._known.by_id

    def when_nodes_change(self, callback: Callable[[], None]) -> None:
        """Call back after nodes have come, gone or changed."""
        self._known.when_changed(callback)

    async def joined(self) -> None:
        """Wait until this node is a member of its cluster."""
        await self._joined.wait()

    def is_member(self) -> bool:
        """Whether this node may act: its lease can't have expired."""
        return self._lease is not None and self._lease.is_valid()

    def serves(self, user_id: str) -> bool:
        """Whether the daemon may act for a user now; what runs may go on while the home is passed on."""
        return self.homes.get(user_id) is not None and self.is_member()

    def owns(self, user_id: str) -> bool:
        """Whether requests of a user are to be served here."""
        home = self.homes.get(user_id)
        return home is not None and home.is_ready and self.is_member()

    def reaches(self, user_id: str, *, running: bool) -> bool:
        """Whether a request of a user is served here: also while the home leaves, if it is for what runs."""
        return self.owns(user_id) or (running and self._moves.is_leaving(user_id) and self.is_member())

    async def locate(self, user_id: str, *, running: bool = False) -> Node | None:
        """Return the node to ask for a user, or None if this one serves the home: it takes it, if it should.

        With `running`, it is asked for commands that may still run where the home was.

        Raises `HomeUnavailable` if no live node may have the home, and `NotAMember` without a lease.
        """
        for _ in range(_MOST_TRIES):
            if self.reaches(user_id, running=running):
                return None
            await self._require_membership()
            node = self._places.known(user_id) or await self._places.find(user_id)
            if node.id != self.id:
                return node
            with suppress(HomeTaken):
                await self._moves.take(user_id)
            self._places.forget(user_id)
        raise NotAMember

    async def take(self, user_id: str, *, running: bool = False) -> None:
        """Serve a home for a request that another node has passed on; raise `HomeElsewhere` if it may not."""
        if self.reaches(user_id, running=running):
            return
        await self._require_membership()
        self._places.forget(user_id)
        try:
            if (await self._places.find(user_id)).id == self.id:
                await self._moves.take(user_id)
                return
        except HomeTaken:
            pass
        raise HomeElsewhere(user_id)

    def forget_place(self, user_id: str) -> None:
        """Look up the owner of a home again: it is not where it was."""
        self._places.forget(user_id)

    async def run(self) -> None:
        """Take part in the cluster until the topics have ended; then leave it, so that others can go on."""
        if missing := switched_off():
            log.error("this node runs with %s: it may lose what it acknowledges", ", ".join(missing))
        await require_admittance(self.settings.url, self.identity)
        await self._join_first()
        tasks = [
            asyncio.create_task(it) for it in (self._stay(), self.notifications.run(), self._follow_orders())
        ]
        ended = asyncio.create_task(self.runtime.topics_ended())
        try:
            await asyncio.wait((*tasks, ended), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*tasks, ended):
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            await self._leave()
        for failure in results:
            if isinstance(failure, Exception):
                raise failure

    async def _stay(self) -> None:
        while True:
            await self._hold_lease()
            await self._rejoin()

    async def _require_membership(self) -> None:
        """Wait a moment for this node to join, or raise `NotAMember`."""
        if self._has_left:
            raise NotAMember
        if not self.is_member():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._joined.wait(), _PATIENCE_SECONDS)
        if not self.is_member():
            raise NotAMember

    async def _join_first(self) -> None:
        """Join, after the lease of an earlier life is over; raise `Fault` if another node has the name."""
        deadline = boot_time() + self.settings.lease_seconds + _RETRY_SECONDS
        while True:
            try:
                await self._join()
            except NameTaken as taken:
                if boot_time() > deadline:
                    raise Fault(
                        f"another node named {self.name} runs: names are unique; join with another --node"
                    ) from taken
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                return

    async def _join(self) -> None:
        """Add this node under a new id and read what all know; else raise `StorageFailed` or `NameTaken`."""
        node = Node(
            id=f"{self.name}-{secrets.token_hex(4)}",
            name=self.name,
            address=advertised_address(self.settings.advertise, self.runtime.listening["nodes"]),
            labels=frozenset(self.settings.labels),
            is_draining=False,
        )
        seconds = self.settings.lease_seconds
        await self.pool.open(node.id)
        await self.stores.load_shared()
        sent = boot_time()
        await join(self.pool, node, VERSION, seconds)
        lease = Lease(self.settings.url, node.id, seconds, self._known.update)
        lease.begin(sent)
        await self._known.read()
        self._lease = lease
        self._joined.set()

    async def _hold_lease(self) -> None:
        assert self._lease
        try:
            await self._lease.hold()
        except LeaseLost as lost:
            log.error("this node has lost its lease, and gives up its homes: %s", lost)  # noqa: TRY400
        self._lease = None
        self._joined.clear()
        self.pool.terminate()
        self._known.forget()
        await self._moves.drop_all()

    async def _rejoin(self) -> None:
        reason = ""
        while not self._lease:
            try:
                # The database may be on another server than before.
                await require_admittance(self.settings.url, self.identity)
                await self._join()
            except (Fault, StorageFailed, NameTaken) as failure:
                if str(failure) != reason:
                    log.warning("this node can't join its cluster again yet: %s", failure)
                reason = str(failure)
                await asyncio.sleep(_RETRY_SECONDS)
        log.warning("this node has joined its cluster again, as %s", self.id)

    async def _leave(self) -> None:
        lease = self._lease
        self._has_left = True
        if lease and lease.is_valid():
            try:
                async with asyncio.timeout(max(lease.left, 0)):
                    await leave(self.pool, lease.node_id)
            except (StorageFailed, TimeoutError) as failure:
                log.warning("this node could not leave in order; its lease ends by itself: %s", failure)
        if lease:
            lease.end()

    async def _follow_orders(self) -> None:
        """Pass on homes that belong elsewhere, and take those with unfinished work that nobody has."""
        while True:
            self._look.clear()
            try:
                if self.is_member():
                    await self._pass_on()
                    await self._take_unfinished()
            except StorageFailed as failure:
                log.debug("the orders of the cluster can't be read: %s", failure)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._look.wait(), _LOOK_AGAIN_SECONDS)

    async def _pass_on(self) -> None:
        moves = asyncio.Semaphore(_MOVES_AT_ONCE)

        async def release(user_id: str) -> None:
            async with moves:
                await self._moves.release(user_id)

        users = await ordered_away(self.pool, self.id)
        results = await asyncio.gather(*map(release, users), return_exceptions=True)
        for user_id, failure in zip(users, results, strict=True):
            if failure:
                log.warning("the home of %s could not be passed on: %s", user_id, failure)

    async def _take_unfinished(self) -> None:
        for user_id in await waiting_for_an_owner(self.pool):
            with suppress(StorageFailed, HomeMoved):
                await self.locate(user_id)


_NODES: weakref.WeakKeyDictionary[Runtime, ClusterNode] = weakref.WeakKeyDictionary()


def cluster_node(runtime: Runtime) -> ClusterNode:
    """Return the node that a daemon is; the same one each time."""
    node = _NODES.get(runtime)
    if node is None:
        settings = runtime.settings(ClusterSettings)
        check_url(settings.url)
        identity = NodeIdentity.load(runtime.config.data_dir)
        if identity is None:
            raise Fault(
                f"{runtime.config.data_dir} belongs to no node: `stringd cluster init URL` makes a cluster, "
                "`stringd cluster join URL` joins one"
            )
        if settings.node and settings.node != identity.name:
            raise Fault(
                f"{runtime.config.data_dir} belongs to the node {identity.name}, not to {settings.node}: "
                "leave out --node, or give another --data-dir"
            )
        node = _NODES[runtime] = ClusterNode(runtime, settings, identity)
    return node
