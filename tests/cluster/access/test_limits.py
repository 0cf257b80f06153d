"""Limits at the door: requests of users, counted where their home is, and invalid tokens of addresses."""

from __future__ import annotations

from collections import Counter

import pytest

from stringd_cluster.access.failed_attempts import BURST
from tests.cluster.access.door_client import STRANGER, Doorstep
from tests.cluster.nodes import Cluster
from tests.protocol.waits import eventually

pytestmark = pytest.mark.long

DEFAULT = {"STRINGD_CLUSTER_REQUESTS_PER_SECOND": "0.001"}


@pytest.fixture
def doors(cluster: Cluster) -> tuple[Doorstep, Doorstep]:
    """Two nodes, with the user ann."""
    nodes = [cluster.node(name) for name in ("one", "two")]
    cluster.register("ann")
    first, second = (Doorstep(cluster, it) for it in nodes)
    return first, second


@pytest.mark.requirement("cluster.door.limits")
def test_a_users_requests_are_limited_over_all_nodes(doors: tuple[Doorstep, Doorstep]) -> None:
    cluster = doors[0].cluster
    token = cluster.token("ann")
    # None after the first second's worth: the next one is let in when the test is over.
    cluster.limit("ann", "0.001")
    eventually(lambda: doors[0].execute(token).status == 429)
    cluster.limit("ann", "none")
    eventually(lambda: doors[1].execute(token).status == 200)
    cluster.limit("ann", "0.001")
    eventually(lambda: 429 in {it.execute(token).status for it in doors})
    refused = [it.execute(token) for it in doors * 3]
    assert {it.status for it in refused} == {429}
    assert {it.json()["error"] for it in refused} == {"RATE_LIMITED"}
    assert all(int(it.headers["Retry-After"]) > 100 for it in refused)


@pytest.mark.requirement("cluster.door.limits")
def test_the_limit_is_exact(cluster: Cluster) -> None:
    nodes = [cluster.node(name, env=DEFAULT) for name in ("one", "two")]
    cluster.register("bob")
    token = cluster.token("bob")
    doors = [Doorstep(cluster, it) for it in nodes]
    statuses = Counter(it.execute(token).status for it in doors * 6)
    assert statuses == {200: 1, 429: 11}
    assert doors[0].ask("GET", "/sessions", token=token).status == 429
    admin = cluster.token("root", "admin")
    assert doors[1].execute(admin, **{"X-User-Id": "bob"}).status == 200, "what admins do is not counted"


@pytest.mark.requirement("cluster.door.attempts")
def test_invalid_tokens_of_an_address_are_limited(cluster: Cluster) -> None:
    door = Doorstep(cluster, cluster.node("one"))
    cluster.register("ann")
    token = cluster.token("ann")
    assert door.execute(token).status == 200
    statuses = Counter(door.ask("GET", "/sessions", token=STRANGER).status for _ in range(int(BURST) + 60))
    assert statuses[401] >= BURST
    assert statuses[429] > 0
    limited = door.ask("GET", "/sessions", token=STRANGER)
    assert (limited.status, limited.json()["error"]) == (429, "RATE_LIMITED")
    assert int(limited.headers["Retry-After"]) >= 1
    assert door.execute(token).status == 200, "a known token is let in"
    assert door.ask("GET", "/health").status == 200
