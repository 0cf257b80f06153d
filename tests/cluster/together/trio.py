"""Three nodes, and clients of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from stringd.client import Client, DaemonAddress, Result
from tests.cluster.nodes import Cluster, Node

ASKER = Path(__file__).parents[2] / "questions" / "asker.py"
STRINGD = str(Path(sys.executable).with_name("stringd"))


class Trio:
    """The nodes one, two and three; each of the users ann, bob and cy has a home on one of its own."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.nodes = {
            name: cluster.node(name, arguments=("--plugins", str(ASKER))) for name in ("one", "two", "three")
        }
        self.token = cluster.token("operator", "admin")
        self._tokens: dict[str, str] = {}
        for user, name in (("ann", "one"), ("bob", "two"), ("cy", "three")):
            cluster.register(user)
            self._tokens[user] = cluster.token(user)
            self.move(user, name)
        for node in self.nodes.values():
            # With the scope admin, a token is one of an operator, too.
            node.operator_token = self.token

    def move(self, user: str, name: str) -> None:
        """Have the home of a user at a node."""
        self.run(user, "/info")
        if self.cluster.owner(user) != name:
            self.cluster.move(user, name)
            self.run(user, "/info")
        assert self.cluster.owner(user) == name

    def owner(self, user: str) -> Node:
        """Return the node with a user's home, once one has it."""
        return self.nodes[str(self.cluster.await_owner(user, lambda name: name is not None))]

    def address(self, port: int, user: str | None = None) -> DaemonAddress:
        """Return the address of a user, or of the operator, by a port."""
        token = self.token if user is None else self._tokens[user]
        return DaemonAddress.of_url(f"http://127.0.0.1:{port}", token=token)

    def client(self, node: Node, user: str | None = None) -> Client:
        """Return a client of a user, or of the operator."""
        return Client(user or "operator", address=self.address(node.port, user))

    def run(self, user: str, command: str, node: Node | None = None, **more: Any) -> Result:
        """Run a command of a user, at a node or at any one that runs."""
        running = [it for it in self.nodes.values() if it.is_running]
        with self.client(node or running[0], user) as client:
            return client.exec(more.pop("topic", "file:main"), command, **more)

    def begin(self, user: str, command: str, node: Node | None = None, **more: Any) -> Future[Result]:
        """Run a command in the background."""
        pool = ThreadPoolExecutor(1)
        future = pool.submit(self.run, user, command, node, **more)
        pool.shutdown(wait=False)
        return future

    def start_stringd(self, port: int, *words: str) -> subprocess.Popen[str]:
        """Start a subcommand as the operator, with pipes."""
        env = {**os.environ, "STRINGD_URL": f"http://127.0.0.1:{port}", "STRINGD_TOKEN": self.token}
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [STRINGD, *words], stdin=pipe, stdout=pipe, stderr=pipe, encoding="utf-8", env=env
        )

    def open_questions(self, node: Node) -> Sequence[dict[str, Any]]:
        """Return the questions that a node lists."""
        with self.client(node) as client:
            questions: list[dict[str, Any]] = client.questions(everyone=True)["questions"]
            return questions
