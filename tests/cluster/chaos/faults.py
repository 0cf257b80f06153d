"""What is done to a cluster, when, and to whom: planned from a seed, and carried out."""

from __future__ import annotations

import asyncio
import logging
import random
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from tests.cluster.chaos.history import OF_ENGINE, ORDERLY, Fault, FaultKind
from tests.cluster.chaos.stops import stop_at_write, stop_in_shell
from tests.cluster.chaos.workload import SHARED_TOPIC, Home
from tests.cluster.cuts import BOTH, Direction
from tests.cluster.nodes import Cluster, Node

log = logging.getLogger(__name__)

_QUIET_SECONDS = 2.0
_OF_OWNER = 0.7
_SETTLE_SECONDS = 1.0
_ACT_SECONDS = 2.0
_LOOK_AGAIN_SECONDS = 0.1
_STORED_BY_SUCCESSOR, _STORED_SECONDS = 3, 15.0
_LEAST_WHOLE = {FaultKind.DELAYED_WRITE: 3}
"""How many nodes must be without a fault for another one to begin; two, if it is not said."""

# An engine ends with the thread that has started it, so threads must outlast a run.
_THREADS = ThreadPoolExecutor(thread_name_prefix="faults")

T = TypeVar("T")
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


def plan(
    seed: int,
    seconds: float,
    lease: float,
    *,
    homes: int,
    nodes: int,
    of: Sequence[FaultKind] = tuple(FaultKind),
) -> list[PlannedFault]:
    """Return the faults of a run: every kind comes once before one comes again."""
    chance = random.Random(f"faults {seed}")
    kinds: list[FaultKind] = []
    planned: list[PlannedFault] = []
    at = _QUIET_SECONDS
    while at < seconds - lease:
        kinds = kinds or chance.sample(of, len(of))
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
        at += chance.uniform(0.2, 1.8) * lease
    return planned


class FaultMaker:
    """Carries faults out, each in a task of its own, and records them."""

    def __init__(self, cluster: Cluster, homes: Sequence[Home], lease_seconds: float) -> None:
        self.made: list[Fault] = []
        self.failed: list[str] = []
        """What should have been done in order, and was not."""
        self._cluster = cluster
        self._homes = homes
        self._users = [it.user for it in homes]
        self._lease_seconds = lease_seconds
        self._hurt: set[str] = set()
        self._engine = asyncio.Lock()
        """Held while the engine is down, and while something is done that needs it."""
        self._is_engine_down = False

    async def run(self, planned: Sequence[PlannedFault], began: float) -> None:
        """Carry out faults at their times, and wait until everything is whole again."""
        tasks = []
        for it in planned:
            await asyncio.sleep(max(0.0, began + it.at - time.monotonic()))
            tasks.append(asyncio.create_task(self._make(it)))
        await asyncio.gather(*tasks)

    async def restart(self) -> None:
        """Kill all nodes at once and start them again: only what they have stored remains."""
        for it in self._cluster.nodes:
            await _in_thread(it.kill)
        await asyncio.gather(*(self._with_engine(it.start) for it in self._cluster.nodes))

    async def _make(self, planned: PlannedFault) -> None:
        if planned.kind in OF_ENGINE:
            await self._hurt_engine(planned)
            return
        if self._is_engine_down:
            return
        node = await self._victim(planned)
        whole = [it for it in self._cluster.nodes if it.name not in self._hurt]
        if node not in whole or len(whole) < _LEAST_WHOLE.get(planned.kind, 2) or self._is_engine_down:
            log.info("left out: %s of %s", planned.kind, node.name)
            return
        with self._hurting(node):
            homes = await self._with_engine(self._cluster.homes_of, node.name)
            log.info("%s %s (%s) for %.1f s", planned.kind, node.name, ", ".join(homes), planned.seconds)
            with self._recorded(planned.kind, node.name, homes) as concerned:
                watching = asyncio.create_task(self._watch(node, concerned))
                try:
                    await self._hurt_node(planned, node, homes)
                finally:
                    watching.cancel()

    async def _watch(self, node: Node, homes: list[str]) -> None:
        """Add the homes that a node takes over meanwhile, which its fault concerns, too."""
        while True:
            await asyncio.sleep(_SETTLE_SECONDS)
            homes += await self._with_engine(self._cluster.homes_of, node.name)

    async def _hurt_node(self, planned: PlannedFault, node: Node, homes: Sequence[str]) -> None:
        if planned.kind in ORDERLY:
            try:
                await self._change_in_order(planned, node, homes)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                self.failed.append(f"{planned.kind} of {node.name}: {error}")
        elif planned.kind is FaultKind.DELAYED_WRITE:
            await self._delay_write(node, homes)
        elif planned.kind is FaultKind.WRITING_SHELL:
            await self._outlive(node, homes)
        else:
            begin, end = self._ways(node, planned.directions)[planned.kind]
            await _in_thread(begin)
            await asyncio.sleep(planned.seconds)
            await end()

    def _ways(
        self, node: Node, directions: tuple[Direction, ...]
    ) -> Mapping[FaultKind, tuple[Change, Callable[[], Awaitable[None]]]]:
        """Return how each kind of fault begins and ends."""
        engine, peers = node.engine_cut, node.peer_cut
        heal_engine, heal_peers = partial(_in_thread, engine.heal), partial(_in_thread, peers.heal)
        return {
            FaultKind.KILL: (node.kill, partial(self._with_engine, node.start)),
            FaultKind.PAUSE: (node.pause, partial(_in_thread, node.resume)),
            FaultKind.CUT_ENGINE: (partial(engine.drop, *directions), heal_engine),
            FaultKind.RESET_ENGINE: (engine.reset, heal_engine),
            FaultKind.REFUSE_ENGINE: (engine.refuse, heal_engine),
            FaultKind.CUT_NODES: (partial(peers.drop, *directions), heal_peers),
            FaultKind.RESET_NODES: (peers.reset, heal_peers),
            FaultKind.REFUSE_NODES: (peers.refuse, heal_peers),
        }

    async def _change_in_order(self, planned: PlannedFault, node: Node, homes: Sequence[str]) -> None:
        if planned.kind is FaultKind.MOVE:
            others = [it.name for it in self._cluster.nodes if it.name not in self._hurt]
            for user in homes[:1]:
                await self._with_engine(self._cluster.move, user, others[planned.node % len(others)])
            await asyncio.sleep(_SETTLE_SECONDS)
            return
        try:
            if planned.kind is FaultKind.DRAIN:
                await self._with_engine(self._cluster.drain, node.name)
                await asyncio.sleep(_SETTLE_SECONDS)
            await _in_thread(node.leave)
        finally:
            if not node.is_running:
                await self._with_engine(node.start)

    async def _delay_write(self, node: Node, homes: Sequence[str]) -> None:
        """Stop a node as it stores a topic, and let that arrive when its successor has acted and is dead.

        Whoever takes over then finds what is stored, and no node remembers anything better.
        """
        if not homes or not await _in_thread(stop_at_write, node, homes[0]):
            log.info("left out: nothing was written")
            return
        try:
            await asyncio.sleep(self._lease_seconds)
            await self._until_stored(homes[0], _STORED_BY_SUCCESSOR)
            successor = self._by_name(await self._with_engine(self._cluster.owner, homes[0]))
            if successor and successor.name not in self._hurt:
                await self._kill_successor(successor, node)
        finally:
            await _in_thread(node.engine_cut.heal)
            node.resume()

    async def _until_stored(self, user: str, times: int) -> None:
        """Wait until the shared topic of a user was stored so many times, for a limited time."""
        query = (
            f"SELECT md5(state) FROM stringd.sessions WHERE user_id = '{user}' AND topic = '{SHARED_TOPIC}'"
        )
        stored: set[str] = set()
        deadline = time.monotonic() + _STORED_SECONDS
        while len(stored) <= times and time.monotonic() < deadline:
            stored.add(await self._with_engine(self._cluster.sql, query))
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)

    async def _kill_successor(self, node: Node, stopped: Node) -> None:
        with self._hurting(node):
            homes = await self._with_engine(self._cluster.homes_of, node.name)
            with self._recorded(FaultKind.KILL, node.name, homes):
                await _in_thread(node.kill)
                await _in_thread(stopped.engine_cut.heal)
                await asyncio.sleep(self._lease_seconds)
                await self._with_engine(node.start)

    async def _outlive(self, node: Node, homes: Sequence[str]) -> None:
        """Stop a node while one of its shells writes for longer than its lease lasts."""
        if not await _in_thread(stop_in_shell, node, [it for it in self._homes if it.user in homes]):
            log.info("left out: no shell writes for long")
            return
        await asyncio.sleep(self._lease_seconds + _ACT_SECONDS)
        await _in_thread(node.resume)

    async def _hurt_engine(self, planned: PlannedFault) -> None:
        if self._is_engine_down:
            return
        engine = self._cluster.engine
        is_kill = planned.kind is FaultKind.ENGINE_KILL
        begin, end = (engine.kill, engine.start) if is_kill else (engine.pause, engine.resume)
        self._is_engine_down = True
        async with self._engine:
            log.info("%s for %.1f s", planned.kind, planned.seconds / 2)
            with self._recorded(planned.kind, "", self._users):
                await _in_thread(begin)
                await asyncio.sleep(planned.seconds / 2)
                await _in_thread(end)
        self._is_engine_down = False

    async def _with_engine(self, call: Callable[..., T], *arguments: object) -> T:
        """Call what fails if the engine is down."""
        async with self._engine:
            return await _in_thread(call, *arguments)

    @contextmanager
    def _hurting(self, node: Node) -> Iterator[None]:
        self._hurt.add(node.name)
        try:
            yield
        finally:
            self._hurt.discard(node.name)

    @contextmanager
    def _recorded(self, kind: FaultKind, node: str, homes: Sequence[str]) -> Iterator[list[str]]:
        """Record a fault that concerns these homes, and those that are added until its end."""
        began, concerned = time.monotonic(), list(homes)
        yield concerned
        self.made.append(
            Fault(kind=kind, node=node, homes=frozenset(concerned), began=began, ended=time.monotonic())
        )

    async def _victim(self, planned: PlannedFault) -> Node:
        """Return the node that is meant: the owner of a home, if there is one."""
        owner = None
        if planned.home is not None:
            owner = await self._with_engine(self._cluster.owner, self._users[planned.home])
        return self._by_name(owner) or self._cluster.nodes[planned.node]

    def _by_name(self, name: str | None) -> Node | None:
        return next((it for it in self._cluster.nodes if it.name == name), None)


async def _in_thread(call: Callable[..., T], *arguments: object) -> T:
    return await asyncio.get_running_loop().run_in_executor(_THREADS, call, *arguments)
