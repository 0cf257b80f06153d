"""What waits for other nodes, which ends when their leases do: a paused node keeps its connections open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Protocol

from stringd_cluster.hop.interruption import Interruption
from stringd_cluster.membership.boot_clock import boot_time
from stringd_cluster.membership.live_nodes import Node


class PeerLost(Exception):
    """The connection to another node is lost, or its lease is over."""


class Membership(Protocol):
    """The nodes of a cluster, as one of them knows them."""

    @property
    def id(self) -> str:
        """The id of this node, `""` without a lease."""

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The live nodes by id."""

    def when_nodes_change(self, callback: Callable[[], None]) -> None:
        """Call back after nodes have come or gone."""


class PeerWatch:
    """Interrupts what waits for a node that is no longer a member of the cluster."""

    def __init__(self, membership: Membership, gone: Callable[[str], None]) -> None:
        self._membership = membership
        self._gone = gone
        self._waiting: dict[str, set[Interruption]] = {}
        self._leases: dict[str, float] = {}
        self._change = asyncio.Event()
        membership.when_nodes_change(self._look)

    @contextmanager
    def watching(self, node_id: str, interruption: Interruption) -> Iterator[None]:
        """Interrupt this when the node is gone; raise `PeerLost` if it is already."""
        if self._is_gone(node_id):
            raise PeerLost(f"{node_id} is no member of the cluster any more")
        waiting = self._waiting.setdefault(node_id, set())
        waiting.add(interruption)
        try:
            yield
        finally:
            waiting.discard(interruption)

    async def change(self, within: float) -> None:
        """Wait until the nodes have changed, or for so many seconds."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._change.wait(), within)

    def _look(self) -> None:
        self._change.set()
        self._change = asyncio.Event()
        gone = [it for it in {**self._leases, **self._waiting} if self._is_gone(it)]
        for node_id in gone:
            # A node that has left before its lease was over has yet to send its last answers.
            left = self._leases.pop(node_id, 0.0) - boot_time()
            if left > 0:
                asyncio.get_running_loop().call_later(left, self._interrupt, node_id)
            else:
                self._interrupt(node_id)
        self._leases.update({node.id: node.until for node in self._membership.nodes.values()})

    def _interrupt(self, node_id: str) -> None:
        for it in self._waiting.pop(node_id, ()):
            it.interrupt(PeerLost(f"the lease of {node_id} is over"))
        self._gone(node_id)

    def _is_gone(self, node_id: str) -> bool:
        """Whether a node has no lease; without one of its own, this node can't tell."""
        return bool(self._membership.id) and node_id not in self._membership.nodes
