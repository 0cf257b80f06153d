"""Requests through nodes of a real cluster whose owner of the home moves it, leaves, dies or stands still."""

from __future__ import annotations

import http.client
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from threading import Event

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from stringd.testing.process import HttpReply
from tests.cluster.nodes import LEASE_SECONDS, Cluster, Node
from tests.protocol.waits import eventually

pytestmark = pytest.mark.long

# Half a second beyond the lease is the goal, which is measured; here, others may have the processors.
_BOUND = 3 * LEASE_SECONDS
_NAMES = ("one", "two", "three")


class Homes:
    """A cluster of three nodes with the user ann."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        for name in _NAMES:
            cluster.node(name)
        cluster.register("ann")
        self.headers = {"Authorization": f"Bearer {cluster.token('ann')}"}
        assert self.send(cluster.nodes[0], "/info").status == 200
        cluster.await_owner("ann", bool)

    @property
    def owner(self) -> Node:
        """The node with the home."""
        owner = self.cluster.owner("ann")
        return next(it for it in self.cluster.nodes if it.name == owner)

    @property
    def others(self) -> list[Node]:
        """The nodes without it."""
        owner = self.owner
        return [it for it in self.cluster.nodes if it is not owner]

    def send(
        self, node: Node, cmd: str, request_id: str | None = None, topic: str = "file:main"
    ) -> HttpReply:
        """Send a command through a node."""
        body = {"cmd": cmd, "request_id": request_id, "topic": topic}
        return node.request("POST", "/exec", body, self.headers)

    def get(self, node: Node, path: str) -> HttpReply:
        """Ask for something of ann through a node."""
        return node.request("GET", path, headers=self.headers)

    def effects(self) -> Counter[str]:
        """Return which commands of `append` had an effect, and how often."""
        file = self.cluster.home("ann") / "effects"
        return Counter(file.read_text(encoding="ascii").split() if file.exists() else [])


class Load:
    """Commands that are sent one after another, each again with its request id until it is answered."""

    def __init__(self, homes: Homes, entry: Node, topic: str) -> None:
        self._homes = homes
        self._entry = entry
        self._topic = topic
        self.stop = Event()
        self.has_ended = Event()
        self.acknowledged: list[str] = []
        self.unknown: list[str] = []
        self.refused: list[str] = []
        self.longest = 0.0
        """The longest time between two answers."""

    def run(self) -> None:
        """Send commands until told to stop."""
        last, number = time.monotonic(), 0
        while not self.stop.is_set():
            number += 1
            if self._is_answered(f"{self._topic}-{number}"):
                now = time.monotonic()
                self.longest, last = max(self.longest, now - last), now
        self.has_ended.set()

    def _is_answered(self, name: str) -> bool:
        for _ in range(10):
            try:
                cmd = f"/exec echo {name} >> $HOME/effects"
                reply = self._homes.send(self._entry, cmd, name, f"file:{self._topic}")
            except (OSError, http.client.HTTPException):
                continue
            if reply.status == 200 and '"ok":true' in reply.text and "event: done" in reply.text:
                self.acknowledged.append(name)
                return True
            self.refused.append(reply.text)
            if reply.status == 503 and "Retry-After" not in reply.headers:
                break
        self.unknown.append(name)
        return False


@pytest.fixture
def homes(cluster: Cluster) -> Homes:
    """Three nodes, one of which has the home of ann."""
    return Homes(cluster)


@pytest.fixture
def loads(homes: Homes) -> Iterator[Callable[[], list[Load]]]:
    """Return a function that begins to send commands through both nodes that do not have the home."""
    with ThreadPoolExecutor() as executor:
        begun: list[Load] = []

        def begin() -> list[Load]:
            begun.extend(Load(homes, node, f"{node.name}{at}") for node in homes.others for at in range(2))
            for it in begun:
                executor.submit(it.run)
            assert eventually(lambda: all(it.acknowledged for it in begun))
            return begun

        yield begin
        for it in begun:
            it.stop.set()


def ended(loads: list[Load], after: float = 1.0) -> None:
    """Let all loads get answers again, and end."""
    counts = [len(it.acknowledged) for it in loads]
    eventually(lambda: all(len(it.acknowledged) > was + 3 for it, was in zip(loads, counts, strict=True)), 20)
    for it in loads:
        it.stop.set()
    # What is acknowledged from now on would have had its effect too late to be counted.
    assert all(it.has_ended.wait(20) for it in loads)
    time.sleep(after)


@pytest.mark.requirement("cluster.hop.whole")
def test_any_node_answers_for_any_user(homes: Homes) -> None:
    answers = {homes.send(node, '/set {city} = "Oslo"').text for node in homes.cluster.nodes}
    assert len(answers) == 1
    for node in homes.cluster.nodes:
        assert "Oslo" in homes.send(node, "/info").text
        assert homes.get(node, "/sessions?user_id=ann").json()["sessions"][0]["topic"] == "file:main"
        assert homes.send(node, "/exec sleep 0.5; echo late").text.count("late") == 3


@pytest.mark.requirement("cluster.hop.elsewhere", "cluster.hop.never_ran")
def test_nobody_notices_that_a_home_moves(homes: Homes, loads: Callable[[], list[Load]]) -> None:
    begun = loads()
    for name in (*_NAMES, *_NAMES):
        homes.cluster.move("ann", name)
    ended(begun)
    assert [it.unknown for it in begun] == [[]] * 4
    assert [it.refused for it in begun] == [[]] * 4
    assert set(homes.effects().values()) == {1}


@pytest.mark.requirement("cluster.hop.never_ran")
def test_nobody_notices_that_the_owner_leaves(homes: Homes, loads: Callable[[], list[Load]]) -> None:
    begun = loads()
    homes.owner.leave()
    ended(begun)
    assert max(it.longest for it in begun) < 2
    assert set(homes.effects().values()) == {1}
    assert [it.refused for it in begun] == [[]] * 4


@pytest.mark.requirement("cluster.hop.once", "cluster.hop.lease", "cluster.hop.unknown")
@pytest.mark.parametrize("how", ["killed", "paused", "cut"])
def test_commands_go_on_at_the_next_owner(homes: Homes, loads: Callable[[], list[Load]], how: str) -> None:
    begun, owner = loads(), homes.owner
    if how == "killed":
        owner.kill()
    elif how == "paused":
        owner.pause()
    else:
        owner.engine_cut.drop()
    ended(begun)
    assert max(it.longest for it in begun) < _BOUND
    effects = homes.effects()
    assert set(effects.values()) == {1}
    assert not {name for it in begun for name in it.acknowledged} - set(effects)
    assert all(len(it.unknown) <= 1 for it in begun)


@pytest.mark.requirement("cluster.hop.safe", "cluster.hop.lease")
@pytest.mark.parametrize("how", ["killed", "paused"])
def test_what_waits_for_a_lost_owner_is_answered_by_the_next(homes: Homes, how: str) -> None:
    owner, entry = homes.owner, homes.others[0]
    with ThreadPoolExecutor() as executor:
        owner.pause()
        waiting: list[Future[HttpReply]] = [
            executor.submit(homes.get, entry, "/sessions?user_id=ann"),
            executor.submit(homes.send, entry, '/set {n} = "1"', "r1"),
            executor.submit(homes.send, entry, '/set {m} = "1"'),
        ]
        began = time.monotonic()
        if how == "killed":
            owner.kill()
        sessions, named, unnamed = (it.result(20) for it in waiting)
        assert time.monotonic() - began < _BOUND
    assert sessions.json()["sessions"][0]["topic"] == "file:main"
    assert '"ok":true' in named.text
    assert unnamed.status in (200, 503)


@pytest.mark.requirement("cluster.hop.never_ran")
def test_requests_wait_while_the_owner_and_the_database_are_gone(homes: Homes) -> None:
    owner, entry, engine = homes.owner, homes.others[0], homes.cluster.engine
    assert homes.get(entry, "/sessions?user_id=ann").status == 200
    with ThreadPoolExecutor() as executor:
        engine.kill()
        owner.kill()
        waiting = executor.submit(homes.send, entry, '/set {n} = "1"')
        assert not waiting.done()
        engine.start()
        assert '"ok":true' in waiting.result(20).text


@pytest.mark.requirement("cluster.hop.cut_streams", "cluster.hop.unknown")
def test_an_answer_that_has_begun_ends_early_and_the_command_does_not_run_again(homes: Homes) -> None:
    owner, (entry, other) = homes.owner, homes.others
    cmd = "/exec echo long >> $HOME/effects; sleep 30"
    with closing(http.client.HTTPConnection("127.0.0.1", entry.port, timeout=10)) as client:
        client.request("POST", "/exec", json.dumps({"cmd": cmd, "request_id": "r1"}), homes.headers)
        answer = client.getresponse()
        owner.kill()
        with pytest.raises(http.client.IncompleteRead):
            answer.read()
    again = eventually(lambda: _not_waiting(homes.send(other, cmd, "r1")))
    assert (again.status, again.json()["error"]) == (503, "OUTCOME_UNKNOWN")
    assert "Retry-After" not in again.headers
    assert homes.effects() == {"long": 1}


@pytest.mark.requirement("cluster.hop.websockets", "cluster.hop.cut_streams")
def test_websockets_lead_to_the_owner(homes: Homes) -> None:
    owner, entry = homes.owner, homes.others[0]
    with connect(f"ws://127.0.0.1:{entry.port}/ws", additional_headers=homes.headers) as client:
        client.send('{"type": "ping"}')
        assert "pong" in str(client.recv(10))
        owner.kill()
        with pytest.raises(ConnectionClosed) as closed:
            client.recv(10)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1012


def _not_waiting(reply: HttpReply) -> HttpReply | None:
    return None if "Retry-After" in reply.headers else reply
