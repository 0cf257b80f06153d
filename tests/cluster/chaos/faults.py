"""What is done to a cluster, when, and to whom: planned from a seed, and carried out."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tests.cluster.chaos.history import ORDERLY, Fault, FaultKind
from tests.cluster.cuts import BOTH, Direction
from tests.cluster.nodes import Cluster, Node

log = logging.getLogger(__name__)

_QUIET_SECONDS = 2.0
_OF_OWNER = 0.7
_LEAST_LIVE = 2
_SETTLE_SECONDS = 1.0

Change = Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFault:
    """A fault at a time since the beginning, for a node that is chosen then."""

    at: float
    kind: FaultKind
    seconds: float
    home: int | None
    """The index of the home whose owner is meant; None for any node."""
    node: int
    """The index of the node where no owner is meant, and of that to which a home moves."""
    directions: tuple[Direction, ...]


def plan(seed: int, seconds: float, lease: float, *, homes: int, nodes: int) -> list[PlannedFault]:
    """Return the faults of a run: every kind comes once before one comes again."""
    chance = random.Random(f"faults {seed}")
    kinds: list[FaultKind] = []
    planned: list[PlannedFault] = []
    at = _QUIET_SECONDS
    while at < seconds - lease:
        kinds = kinds or chance.sample(list(FaultKind), len(FaultKind))
        planned.append(
            PlannedFault(
                at=at,
                kind=kinds.pop(),
                seconds=chance.uniform(0.2, 2.0) * lease,
                home=chance.randrange(homes) if chance.random() < _OF_OWNER else None,
                node=chance.randrange(nodes),
                directions=chance.choice([BOTH, BOTH, (Direction.THERE,), (Direction.BACK,)]),
            )
        )
        at += chance.uniform(0.4, 2.4) * lease
    return planned


class FaultMaker:
    """Carries faults out, each in a task of its own, and records them."""

    def __init__(self, cluster: Cluster, users: Sequence[str]) -> None:
        self.made: list[Fault] = []
        self._cluster = cluster
        self._users = users
        self._hurt: set[str] = set()
        self._is_engine_down = False

    async def run(self, planned: Sequence[PlannedFault], began: float) -> None:
        """Carry out faults at their times, and wait until everything is whole again."""
        tasks = []
        for it in planned:
            await asyncio.sleep(max(0.0, began + it.at - time.monotonic()))
            tasks.append(asyncio.create_task(self._make(it)))
        await asyncio.gather(*tasks)

    async def _make(self, planned: PlannedFault) -> None:
        if planned.kind is FaultKind.ENGINE_KILL:
            await self._kill_engine(planned.seconds / 2)
            return
        node = await self._victim(planned)
        live = len(self._cluster.nodes) - len(self._hurt)
        if node.name in self._hurt or live < _LEAST_LIVE or self._is_engine_down:
            log.info("left out: %s of %s", planned.kind, node.name)
            return
        self._hurt.add(node.name)
        try:
            homes = await asyncio.to_thread(self._cluster.homes_of, node.name)
            began = time.monotonic()
            log.info("%s %s (%s) for %.1f s", planned.kind, node.name, ", ".join(homes), planned.seconds)
            await self._hurt_node(planned, node, homes)
            self._record(planned.kind, node.name, homes, began)
        finally:
            self._hurt.discard(node.name)

    async def _hurt_node(self, planned: PlannedFault, node: Node, homes: Sequence[str]) -> None:
        if planned.kind in ORDERLY:
            await self._change_in_order(planned, node, homes)
            return
        begin, end = self._ways(node, planned.directions)[planned.kind]
        await asyncio.to_thread(begin)
        await asyncio.sleep(planned.seconds)
        await asyncio.to_thread(end)

    @staticmethod
    def _ways(node: Node, directions: tuple[Direction, ...]) -> Mapping[FaultKind, tuple[Change, Change]]:
        """Return how each kind of fault begins and ends."""
        return {
            FaultKind.KILL: (node.kill, node.start),
            FaultKind.PAUSE: (node.pause, node.resume),
            FaultKind.CUT_ENGINE: (lambda: node.engine_cut.drop(*directions), node.engine_cut.heal),
            FaultKind.CUT_NODES: (lambda: node.peer_cut.drop(*directions), node.peer_cut.heal),
            FaultKind.RESET_ENGINE: (node.engine_cut.reset, node.engine_cut.heal),
        }

    async def _change_in_order(self, planned: PlannedFault, node: Node, homes: Sequence[str]) -> None:
        if planned.kind is FaultKind.MOVE:
            others = [it.name for it in self._cluster.nodes if it.name not in self._hurt]
            for user in homes[:1]:
                await asyncio.to_thread(self._cluster.move, user, others[planned.node % len(others)])
            await asyncio.sleep(_SETTLE_SECONDS)
            return
        if planned.kind is FaultKind.DRAIN:
            await asyncio.to_thread(self._cluster.drain, node.name)
            await asyncio.sleep(_SETTLE_SECONDS)
        await asyncio.to_thread(node.leave)
        await asyncio.to_thread(node.start)

    async def _kill_engine(self, seconds: float) -> None:
        if self._is_engine_down:
            return
        log.info("engine-kill for %.1f s", seconds)
        self._is_engine_down = True
        began = time.monotonic()
        await asyncio.to_thread(self._cluster.engine.kill)
        await asyncio.sleep(seconds)
        await asyncio.to_thread(self._cluster.engine.start)
        self._is_engine_down = False
        self._record(FaultKind.ENGINE_KILL, "", self._users, began)

    def _record(self, kind: FaultKind, node: str, homes: Sequence[str], began: float) -> None:
        self.made.append(
            Fault(kind=kind, node=node, homes=frozenset(homes), began=began, ended=time.monotonic())
        )

    async def _victim(self, planned: PlannedFault) -> Node:
        """Return the node that is meant: the owner of a home, if there is one."""
        owner = None
        if planned.home is not None and not self._is_engine_down:
            with suppress(AssertionError):
                owner = await asyncio.to_thread(self._cluster.owner, self._users[planned.home])
        by_name = {it.name: it for it in self._cluster.nodes}
        return by_name[owner] if owner in by_name else self._cluster.nodes[planned.node]
