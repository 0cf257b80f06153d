"""What becomes of homes when nodes are told to pass them on, leave, die, pause, or lose the engine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from stringd.testing.process import Events, HttpReply, parse_events
from stringd_cluster.homes.home_moves import GRACE_SECONDS
from tests.cluster.engine import Engine
from tests.cluster.nodes import Cluster, Node
from tests.protocol.waits import eventually

TOPIC = "file:main"
TAKEN_OVER = 20.0


class Agent:
    """A client of one user that asks the nodes in turn until one serves the home."""

    def __init__(self, cluster: Cluster, user: str) -> None:
        self._cluster = cluster
        self._user = user
        cluster.register(user)
        self._token = cluster.token(user)

    @property
    def owner(self) -> Node:
        """The node that has the home."""
        name = self._cluster.owner(self._user)
        return next(it for it in self._cluster.nodes if it.name == name)

    def ask(self, node: Node, cmd: str) -> HttpReply:
        """Send a command to a node."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        return node.request("POST", "/exec", json.dumps({"topic": TOPIC, "cmd": cmd}), headers)

    def queue_length(self, node: Node) -> int:
        """Return how many commands wait in the topic at a node."""
        headers = {"Authorization": f"Bearer {self._token}"}
        sessions = node.request("GET", "/sessions", headers=headers).json()["sessions"]
        length: int = sessions[0]["queue_length"]
        return length

    def exec(self, cmd: str) -> Events:
        """Send a command until a node serves it; what no node has served has not run."""
        served: list[HttpReply] = []

        def is_served() -> bool:
            for node in self._cluster.nodes:
                if not node.is_running:
                    continue
                reply = self.ask(node, cmd)
                if reply.status == 200:
                    served.append(reply)
                    return True
            return False

        eventually(is_served, TAKEN_OVER)
        return parse_events(served[0])


def _others(cluster: Cluster, node: Node) -> Sequence[Node]:
    return [it for it in cluster.nodes if it is not node]


@pytest.fixture
def three(cluster: Cluster) -> Cluster:
    """A cluster of three nodes whose homes all nodes reach."""
    for name in ("one", "two", "three"):
        cluster.node(name)
    return cluster


def _prepare(agent: Agent) -> None:
    agent.exec("/write notes.md\nfirst")
    agent.exec("/open notes.md")
    agent.exec('/set {name} = "value"')
    agent.exec("/write notes.md\nsecond")


def _require_kept(agent: Agent) -> None:
    shown = agent.exec("/info").content
    assert "file: notes.md" in shown
    assert "variables: 1" in shown
    agent.exec("/undo")
    assert agent.exec("/open notes.md").content.endswith("first")


@pytest.mark.long
@pytest.mark.requirement("cluster.moves.order")
def test_a_moved_home_goes_on_where_it_was(three: Cluster) -> None:
    agent = Agent(three, "ann")
    _prepare(agent)
    target = _others(three, agent.owner)[0]
    three.move("ann", target.name)
    _require_kept(agent)
    assert agent.owner is target


@pytest.mark.long
@pytest.mark.requirement("cluster.moves.running")
def test_a_running_command_ends_before_its_home_is_passed_on(three: Cluster) -> None:
    agent = Agent(three, "ann")
    agent.exec("/info")
    owner, replies = agent.owner, list[HttpReply]()
    marker = three.home("ann") / "marker"
    command = f"/exec touch {marker}; sleep 2; echo finished"
    thread = threading.Thread(target=lambda: replies.append(agent.ask(owner, command)))
    thread.start()
    eventually(marker.exists)
    three.move("ann", _others(three, owner)[0].name)
    thread.join(20)
    assert "finished" in parse_events(replies[0]).content
    agent.exec("/info")
    assert agent.owner is not owner


@pytest.mark.long
@pytest.mark.requirement("cluster.moves.waiting")
def test_what_waits_for_a_running_command_waits_for_the_move(three: Cluster) -> None:
    agent = Agent(three, "ann")
    agent.exec("/info")
    owner = agent.owner
    target, other = _others(three, owner)
    marker = three.home("ann") / "marker"
    with ThreadPoolExecutor() as executor:
        executor.submit(agent.ask, owner, f"/exec touch {marker}; sleep {GRACE_SECONDS - 1}")
        eventually(marker.exists)
        waiting = [executor.submit(agent.ask, node, "/info") for node in (owner, target, other)]
        eventually(lambda: agent.queue_length(owner) == len(waiting))
        three.move("ann", target.name)
        assert [it.result(20).status for it in waiting] == [200] * len(waiting)
    assert agent.owner is target


@pytest.mark.long
@pytest.mark.requirement("cluster.moves.drain")
def test_a_draining_node_passes_all_homes_on_and_takes_none(three: Cluster) -> None:
    agents = [Agent(three, f"user-{number}") for number in range(9)]
    for agent in agents:
        agent.exec("/info")
    node = agents[0].owner
    three.drain(node.name)
    assert three.homes_of(node.name) == []
    for agent in agents:
        agent.exec("/info")
    assert three.homes_of(node.name) == []
    three.drain(node.name, undo=True)
    three.move("user-0", node.name)
    agents[0].exec("/info")
    assert agents[0].owner is node


@pytest.mark.long
@pytest.mark.requirement("cluster.moves.pinned")
def test_a_pinned_home_waits_for_its_node_and_is_empty_nowhere_else(three: Cluster) -> None:
    agent = Agent(three, "ann")
    _prepare(agent)
    owner = agent.owner
    three.pin("ann", owner.name)
    owner.kill()
    three.await_owner("ann", lambda name: name is None)
    for node in _others(three, owner):
        reply = agent.ask(node, "/info")
        assert (reply.status, reply.json()["error"]) == (503, "HOME_UNAVAILABLE")
        assert reply.headers["Retry-After"] == "1"
    owner.start()
    _require_kept(agent)
    assert agent.owner is owner


@pytest.mark.long
@pytest.mark.requirement("cluster.moves.leave")
def test_a_node_that_stops_leaves_its_homes_at_once(three: Cluster) -> None:
    agent = Agent(three, "ann")
    _prepare(agent)
    owner = agent.owner
    owner.leave()
    assert owner.name not in three.sql("SELECT name FROM stringd.nodes WHERE ended IS NULL").split()
    _require_kept(agent)


@pytest.mark.long
@pytest.mark.requirement("cluster.moves.leave")
def test_whoever_asks_another_node_does_not_notice_that_one_stops(three: Cluster) -> None:
    agent = Agent(three, "ann")
    agent.exec("/info")
    owner = agent.owner
    other, replies, stopped = _others(three, owner)[0], list[HttpReply](), threading.Event()

    def ask_on() -> None:
        while not stopped.is_set():
            replies.append(agent.ask(other, "/info"))

    thread = threading.Thread(target=ask_on)
    thread.start()
    eventually(lambda: len(replies) > 20)
    owner.leave()
    asked = len(replies)
    eventually(lambda: len(replies) > asked + 20)
    stopped.set()
    thread.join(20)
    assert {(reply.status, parse_events(reply).head["ok"]) for reply in replies} == {(200, True)}
    assert agent.owner is not owner


@pytest.mark.requirement("cluster.moves.killed")
def test_the_home_of_a_killed_node_goes_on_at_another(three: Cluster) -> None:
    agent = Agent(three, "ann")
    _prepare(agent)
    owner = agent.owner
    owner.kill()
    _require_kept(agent)
    assert agent.owner is not owner


@pytest.mark.long
@pytest.mark.requirement("cluster.moves.paused")
def test_a_paused_node_that_goes_on_serves_nothing_that_it_has_lost(three: Cluster) -> None:
    agent = Agent(three, "ann")
    _prepare(agent)
    owner = agent.owner
    owner.pause()
    three.await_owner("ann", lambda name: name != owner.name)
    others = [it for it in three.nodes if it is not owner]
    three.nodes[:] = others
    agent.exec("/write notes.md\nthird")
    owner.resume()
    three.nodes[:] = [owner, *others]
    reply = agent.exec("/open notes.md")
    assert reply.content.endswith("third")
    assert agent.owner is not owner
    eventually(lambda: "has lost its lease" in owner.stderr())


@pytest.mark.long
@pytest.mark.requirement("cluster.moves.engine")
def test_an_engine_that_restarts_within_the_lease_moves_no_home(three: Cluster, postgres: Engine) -> None:
    agent = Agent(three, "ann")
    _prepare(agent)
    nodes = three.sql("SELECT id FROM stringd.nodes ORDER BY id")
    owner = agent.owner
    postgres.kill()
    postgres.start()
    _require_kept(agent)
    assert agent.owner is owner
    assert three.sql("SELECT id FROM stringd.nodes WHERE ended IS NULL ORDER BY id") == nodes


def _add_unfinished(cluster: Cluster, user: str) -> None:
    cluster.sql(f"INSERT INTO stringd.logs (name, user_id) VALUES ('run-of-{user}', '{user}')")
    cluster.sql(f"SELECT pg_notify('stringd_homes', '{user}')")


@pytest.mark.requirement("cluster.homes.unfinished")
def test_unfinished_work_of_an_unavailable_home_keeps_nobody_from_theirs(cluster: Cluster) -> None:
    cluster.node("one")
    cluster.sql("INSERT INTO stringd.homes (id, label) VALUES ('ann', 'gone')")
    for user in ("ann", "bob", "cho"):
        _add_unfinished(cluster, user)
        if user != "ann":
            cluster.await_owner(user, lambda name: name == "one")


_END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE "


@contextmanager
def _locked(cluster: Cluster, row: str) -> Iterator[None]:
    """Keep a row from being changed."""
    lock = f"SELECT {row} FOR UPDATE; SELECT 1 FROM pg_sleep(60)"
    with ThreadPoolExecutor() as threads:
        locking = threads.submit(cluster.sql, lock)
        eventually(lambda: cluster.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"))
        try:
            yield
        finally:
            cluster.sql(f"{_END}'%pg_sleep%' AND wait_event = 'PgSleep'")
            locking.exception()


@pytest.mark.long
@pytest.mark.requirement("cluster.moves.drain")
def test_a_home_is_passed_on_although_the_database_breaks_off(cluster: Cluster) -> None:
    cluster.node("one")
    Agent(cluster, "ann").exec("/info")
    with _locked(cluster, "FROM stringd.homes WHERE id = 'ann'"):
        cluster.sql("UPDATE stringd.nodes SET is_draining = true; SELECT pg_notify('stringd_homes', '')")
        end = f"{_END}'UPDATE homes SET owner = NULL%' AND wait_event_type = 'Lock'"
        eventually(lambda: cluster.sql(end))
    cluster.await_owner("ann", lambda name: name is None)
