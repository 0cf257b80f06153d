"""Two nodes of a cluster, and an agent whose home they pass on to each other."""

from __future__ import annotations

import time
from concurrent.futures import Future
from threading import Thread

import pytest

from stringd.testing.process import Events, HttpReply, parse_events
from tests.cluster.nodes import Cluster, Node

_PATIENCE_SECONDS = 15.0
_NOT_YET = frozenset({421, 503})


class Agent:
    """A user who sends commands to whatever node answers."""

    def __init__(self, cluster: Cluster, user: str) -> None:
        self.cluster = cluster
        self.user = user
        self.home = cluster.home(user)
        self.home.mkdir(parents=True, exist_ok=True)
        self._token = cluster.token(user)

    def __call__(
        self, cmd: str, topic: str = "file:a", request_id: str | None = None, *, node: Node | None = None
    ) -> Events:
        """Send a command, to a certain node or to any, until it was served."""
        asked = [node] if node else self.cluster.nodes
        body = {"cmd": cmd, "topic": topic, "request_id": request_id}
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            for it in asked:
                if not it.is_running:
                    continue
                reply = self.send(it, body)
                if reply.status not in _NOT_YET:
                    return parse_events(reply)
            assert time.monotonic() < deadline, reply.text
            time.sleep(0.05)

    def send(self, node: Node, body: object, path: str = "/exec", method: str = "POST") -> HttpReply:
        """Send a request to a node, by default a command."""
        headers = {"Authorization": f"Bearer {self._token}", "X-User-Id": self.user}
        return node.request(method, path, body, headers)

    def begin(self, cmd: str, topic: str, request_id: str | None = None) -> Future[HttpReply]:
        """Send a command to the first node, and do not wait for the answer."""
        node, answered = self.cluster.nodes[0], Future[HttpReply]()
        body = {"cmd": cmd, "topic": topic, "request_id": request_id}

        def run() -> None:
            try:
                answered.set_result(self.send(node, body))
            except Exception as error:
                answered.set_exception(error)

        Thread(target=run, daemon=True).start()
        return answered

    @property
    def owner(self) -> Node:
        """The node that has the agent's home."""
        name = self.cluster.await_owner(self.user, lambda it: it is not None)
        return next(it for it in self.cluster.nodes if it.name == name)

    @property
    def other(self) -> Node:
        """The node that does not."""
        owner = self.owner
        return next(it for it in self.cluster.nodes if it is not owner)

    def move(self) -> None:
        """Have the home moved to the other node, and wait until that serves it."""
        other = self.other
        self.cluster.move(self.user, other.name)
        self._await_served()
        assert self.owner is other

    def order_away(self) -> None:
        """Order the home to the other node, as `stringd cluster move` does, and do not wait."""
        order = f"UPDATE stringd.homes SET moved_to = '{self.other.name}' WHERE id = '{self.user}'"
        self.cluster.sql(f"{order}; SELECT pg_notify('stringd_homes', '{self.user}')")

    def fail_over(self) -> Node:
        """Kill the node that has the home, and wait until the other one serves it; return the killed one."""
        owner = self.owner
        owner.kill()
        self._await_served()
        return owner

    def _await_served(self) -> None:
        """Send something, as nobody takes a home before it is needed."""
        assert self("/info", "file:probe").head["ok"]


@pytest.fixture
def agent(cluster: Cluster) -> Agent:
    """A registered user of two nodes."""
    for name in ("alpha", "beta"):
        cluster.node(name, env={"STRINGD_WEB_KEEP_COOKIES": "yes"})
    cluster.register("ann")
    return Agent(cluster, "ann")
