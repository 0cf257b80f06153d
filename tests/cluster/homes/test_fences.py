"""Fences: whatever a node writes for a home that another one has claimed is refused, and nothing changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stringd.plugin import SecretScope, State, Step, TopicName
from stringd.plugin.stores import Fenced, HomeMoved
from tests.cluster.homes.home_tables import Claimer, claimers, run

_COUNTED = ("sessions", "plugin_data", "edits", "secrets", "users", "requests")


@dataclass
class _User:
    id: str = "ann"


@dataclass
class _Session:
    user: _User
    name: TopicName


SESSION: Any = _Session(_User(), TopicName(type="file", name="main"))
SCOPE = SecretScope(user_id="ann", owner="file", config=None)
STEP = Step(path=Path("/a"), before="x", after="0")


def _stores(node: Claimer) -> Any:
    return node.stores.record(print, lambda _: True)


WRITES: dict[str, Callable[[Any], Awaitable[object]]] = {
    "state": lambda it: it.sessions.save("ann", "file:main", State(), {}),
    "state and data": lambda it: it.sessions.save("ann", "file:main", State(), {"app": "1"}),
    "topic": lambda it: it.sessions.remove("ann", "file:main"),
    "topics": lambda it: it.sessions.remove_user("ann"),
    "undo": lambda it: it.undo.add(SESSION, STEP),
    "undone": lambda it: it.undo.drop(SESSION),
    "undo of a topic": lambda it: it.undo.forget(SESSION),
    "secret": lambda it: it.secrets.keep(SCOPE, {"NAME": "value"}),
    "user": lambda it: it.users.register("ann", Path("/moved"), None),
    "user's end": lambda it: it.users.remove("ann"),
    "request": lambda it: it.requests.begin(SESSION, "r1"),
    "outcome": lambda it: it.requests.abandon(SESSION, "r1"),
}


async def _counts(node: Claimer) -> dict[str, int]:
    rows = {it: await node.pool.fetch(f"SELECT count(*) AS n FROM {it}") for it in _COUNTED}
    return {name: found[0]["n"] for name, found in rows.items()}


@pytest.mark.requirement("cluster.fence.writes")
@pytest.mark.parametrize("write", WRITES)
def test_a_node_that_was_replaced_writes_nothing(write: str, database: str) -> None:
    async def test() -> None:
        async with claimers(database) as nodes:
            old, new = await nodes.node("old"), await nodes.node("new")
            await old.claim("ann")
            stores = _stores(old)
            await stores.users.register("ann", Path("/home"), None)
            await stores.sessions.save("ann", "file:main", State(), {"app": "1"})
            await stores.undo.add(SESSION, STEP)
            await old.expire()
            await new.claim("ann")
            await old.reconnect()
            before = await _counts(new)
            with pytest.raises((Fenced, HomeMoved)):
                await WRITES[write](stores)
            assert await _counts(new) == before

    run(test)


@pytest.mark.requirement("cluster.fence.held")
def test_a_claim_waits_for_a_transaction_that_has_passed_the_fence(database: str) -> None:
    async def test() -> None:
        async with claimers(database) as nodes:
            node = await nodes.node("node")
            epoch = await node.claim("ann")
            async with node.homes.fenced("ann") as connection:
                again = asyncio.ensure_future(node.claim("ann"))
                done, _ = await asyncio.wait((again,), timeout=0.3)
                assert not done
                await connection.execute("INSERT INTO sessions VALUES ('ann', 'file:a', '{}')")
            assert await again == epoch + 1
            assert len(await node.pool.fetch("SELECT 1 FROM sessions")) == 1

    run(test)


@pytest.mark.requirement("cluster.fence.unowned")
def test_a_home_that_the_node_never_had_is_refused_without_asking(database: str) -> None:
    async def test() -> None:
        async with claimers(database) as nodes:
            node = await nodes.node("node")
            stores = _stores(node)
            with pytest.raises(Fenced):
                await stores.sessions.save("bob", "file:main", State(), {})
            node.pool.terminate()
            with pytest.raises(Fenced):
                await stores.sessions.save("bob", "file:main", State(), {})

    run(test)
