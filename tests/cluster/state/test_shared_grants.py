"""Grants that hold at all nodes of a cluster, in a real database."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from stringd.plugin.stores import LocalStorages
from stringd_approval.asking.grant_store import SharedGrants
from stringd_approval.asking.grants import GrantError, Scope, parse_terms
from stringd_approval.exec_request import ExecRequest
from stringd_cluster.stores.storage_table import StorageTable
from tests.approval.daemons import request
from tests.cluster.access_tables import make_tables, run
from tests.cluster.nodes import Cluster, Node
from tests.cluster.state.homes import node
from tests.questions.people import Operator, until

pytestmark = pytest.mark.long

MODEL = ExecRequest(
    id="1",
    pipeline=(("git", "log", "-1"),),
    session="s",
    env={"LANG": "C"},
    privileged=False,
    user_id="ann",
    topic="bash:a",
)
PATHS = ("/usr/bin/git", "/")
DAY = 24 * 60 * 60


class Clock:
    """A clock that tests can set."""

    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def grants_of(database: str, name: str, clock: Clock) -> AsyncIterator[SharedGrants]:
    """Return the grants as a node has them."""
    async with node(database, name) as it:
        storages = LocalStorages(print, lambda plugin: StorageTable(it.pool, plugin))
        yield SharedGrants(storages.of("approval"), clock)


async def add(grants: SharedGrants, terms: str) -> None:
    """Add a grant for requests like the model."""
    await grants.add(parse_terms(terms), MODEL, PATHS, by="operator", through="test")


@pytest.mark.requirement("cluster.grants.shared")
def test_a_grant_holds_at_all_nodes_as_often_as_it_says(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        clock = Clock()
        async with grants_of(database, "ann", clock) as ann, grants_of(database, "bob", clock) as bob:
            await add(ann, "7 times for session: git log")
            assert await bob.use(replace(MODEL, pipeline=(("git", "push"),)), PATHS) is None
            assert await bob.use(MODEL, ("/usr/local/bin/git", "/")) is None
            assert await bob.use(replace(MODEL, env={}), PATHS) is None
            uses = await asyncio.gather(*(it.use(MODEL, PATHS) for _ in range(10) for it in (ann, bob)))
            assert len([it for it in uses if it]) == 7
            assert list(await ann.listed()) == list(await bob.listed()) == []

    run(test)


@pytest.mark.requirement("cluster.grants.shared")
def test_a_grant_that_is_withdrawn_at_one_node_holds_nowhere(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        clock = Clock()
        async with grants_of(database, "ann", clock) as ann, grants_of(database, "bob", clock) as bob:
            await add(ann, "10 minutes for user: git log")
            (listed,) = await bob.listed()
            assert (listed["command"], listed["for"], listed["seconds"]) == ("git log", Scope.USER, 600)
            used = await bob.use(MODEL, PATHS)
            assert used
            assert (used.by, used.through, used.model.env) == ("operator", "test", {"LANG": "C"})
            assert await bob.revoke(listed["id"])
            assert await ann.use(MODEL, PATHS) is None
            assert await ann.revoke(listed["id"]) is None

    run(test)


@pytest.mark.requirement("cluster.grants.ended")
def test_a_grant_ends_with_its_time_or_after_a_day_even_if_a_clock_is_set_back(database: str) -> None:
    async def test() -> None:
        await make_tables(database)
        clock = Clock()
        async with grants_of(database, "ann", clock) as ann:
            await add(ann, "10 minutes for user: git log")
            await add(ann, "5 times for user: git")
            clock.now += 601
            used = await ann.use(MODEL, PATHS)
            assert used
            assert used.times == 4
            clock.now -= DAY
            assert await ann.use(MODEL, PATHS) is None
            clock.now += 2 * DAY
            assert await ann.use(MODEL, PATHS) is None
            with pytest.raises(GrantError):
                await ann.add(
                    parse_terms("1 times for user: git"),
                    replace(MODEL, privileged=True),
                    PATHS,
                    by="operator",
                    through="test",
                )

    run(test)


@pytest.mark.requirement("cluster.grants.shared")
def test_a_grant_that_is_given_at_one_node_holds_for_requests_to_another(
    cluster: Cluster, tmp_path: Path
) -> None:
    ann, bob = cluster.node("ann"), cluster.node("bob")
    token = cluster.token("boss", "admin")

    def touched(at: Node) -> str:
        return str(request(at, ["touch", str(tmp_path / "x")])["status"])

    def answer(**fields: Any) -> None:
        (question,) = until(lambda: listed(ann, token), "no question")
        headers = {"X-Operator-Token": token}
        answered = ann.request("POST", f"/questions/{question['id']}", fields, headers)
        assert answered.status == 200, answered.text

    with Operator(ann, token), ThreadPoolExecutor(1) as pool:
        asking = pool.submit(touched, ann)
        answer(answer=True, grant=f"2 times for user: touch {tmp_path / 'x'}")
        assert asking.result(20) == "ok"
        assert touched(ann) == touched(bob) == "ok"
        (decision,) = decisions(bob)
        assert decision["through"].startswith("grant g")
        asking = pool.submit(touched, bob)
        answer(answer=False)
        assert asking.result(20) == "denied"


def listed(at: Node, token: str) -> list[dict[str, Any]]:
    """Return the open questions that a node lists."""
    reply = at.request("GET", "/questions", headers={"X-Operator-Token": token})
    questions: list[dict[str, Any]] = reply.json()["questions"]
    return questions


def decisions(at: Node) -> list[dict[str, Any]]:
    """Return what decided about the requests to a node."""
    lines = (json.loads(it) for it in (at.data_dir / "audit.jsonl").read_text().splitlines())
    return [it for it in lines if it["kind"] == "decision"]
