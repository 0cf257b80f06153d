"""Nodes of a cluster and their database, each a process of its own, on loopback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.load import PROJECT
from bench.servers import clean_environment, end
from stringd_cluster.membership.live_nodes import Node as LiveNode
from stringd_cluster.membership.placement import preferred
from tests.cluster.engine import Engine, find_programs
from tests.ports import free_port

LEASE_SECONDS = 3.0
PLUGIN = PROJECT / "bench" / "cluster_commands.py"
_DATABASE = "bench"
_ADMIN = "operator"
_START_LIMIT = 20.0
_READY = re.compile(rb"listening on ")


class Node:
    """A node that is started and ended again and again, at the same address."""

    def __init__(self, name: str, url: str, folder: Path) -> None:
        self.name = name
        self.port = free_port()
        self._folder = folder
        self._options = (
            *("--cluster", url, "--node", name, "--data-dir", str(folder / name)),
            *("--listen", f"127.0.0.1:{self.port}", "--lease-seconds", str(LEASE_SECONDS)),
        )
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The id of its process."""
        assert self._process
        return self._process.pid

    def set_up(self, secret: str) -> str:
        """Make the cluster, or join it with a secret; return the secret."""
        words = ("join",) if secret else ("init", "--homes", "shared", "--json")
        variables = {"STRINGD_JOIN_SECRET": secret} if secret else {}
        printed = stringd(*self._options, "cluster", *words, "--no-start", **variables)
        return secret or str(json.loads(printed)["join_secret"])

    def start(self) -> None:
        """Start it, and wait until it listens."""
        log = self._folder / f"{self.name}.log"
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "stringd", *self._options, "--plugins", str(PLUGIN)],
                stderr=output,
                cwd=PROJECT,
                env=clean_environment(),
            )
        deadline = time.monotonic() + _START_LIMIT
        while not _READY.search(log.read_bytes()):
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise RuntimeError(f"{self.name} does not serve: {log.read_text(errors='replace')[-500:]}")
            time.sleep(0.01)

    def kill(self) -> None:
        """Kill it without a warning."""
        assert self._process
        self._process.kill()

    def ask_to_stop(self) -> None:
        """Tell it to leave in order, without waiting for that."""
        os.kill(self.pid, signal.SIGTERM)

    def await_end(self) -> None:
        """Wait until its process has ended."""
        assert self._process
        self._process.wait(_START_LIMIT)

    def stop(self) -> None:
        """End it, if it runs."""
        if self._process:
            end(self._process)


class Cluster:
    """A database, and its nodes."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine = engine
        self._folder = folder
        self._secret = ""
        self.url = engine.url(_DATABASE)
        self.nodes: list[Node] = []

    def add(self, *names: str) -> Sequence[Node]:
        """Add nodes that are not started yet."""
        for name in names:
            node = Node(name, self.url, self._folder)
            self._secret = node.set_up(self._secret)
            self.nodes.append(node)
        return self.nodes

    def start(self) -> None:
        """Start all nodes."""
        for node in self.nodes:
            node.start()

    def token(self, user: str, scope: str = "exec") -> str:
        """Create a token."""
        words = ("token", "create", "--user", user, "--scope", scope)
        return stringd("--cluster", self.url, *words).strip()

    def register(self, users: Sequence[str]) -> None:
        """Register users whose homes no node has; before the nodes start."""
        rows = ", ".join(
            f"('{it}', '{self._folder / 'homes' / it}', '{{}}', '2026-01-01T00:00:00Z')" for it in users
        )
        for user in users:
            (self._folder / "homes" / user).mkdir(parents=True)
        self.sql(f"INSERT INTO stringd.users (id, home, allowed_paths, created_at) VALUES {rows}")

    def users_of(self, node: Node, count: int) -> Sequence[str]:
        """Return ids of users whose homes a node takes if all nodes run and nobody has them."""
        live = [
            LiveNode(id=it.name, name=it.name, address="", labels=frozenset(), is_draining=False)
            for it in self.nodes
        ]
        numbered = (f"u{number}" for number in range(100 * count))
        fit = [it for it in numbered if getattr(preferred(live, it, None, None), "name", "") == node.name]
        return fit[:count]

    def owner(self, user: str) -> Node | None:
        """Return the node that has a home."""
        query = (
            "SELECT n.name FROM stringd.homes h JOIN stringd.nodes n ON n.id = h.owner AND n.ended IS NULL"
        )
        name = self.sql(f"{query} AND n.expires > clock_timestamp() WHERE h.id = '{user}'")
        return next((it for it in self.nodes if it.name == name), None)

    def sql(self, statement: str) -> str:
        """Run a statement, and return its rows."""
        return self._engine.sql(statement, database=_DATABASE)


@contextmanager
def cluster(*names: str) -> Iterator[Cluster]:
    """Make a cluster of nodes that are not started, with a database on this machine's disk."""
    programs = find_programs()
    if programs is None:
        raise RuntimeError("PostgreSQL is not installed")
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(programs, directory=Path(tempfile.gettempdir()))
        made = Cluster(engine, Path(folder))
        try:
            engine.start()
            engine.sql(f"CREATE DATABASE {_DATABASE}", database="postgres")
            made.add(*names)
            yield made
        finally:
            for node in made.nodes:
                with suppress(OSError):
                    node.stop()
            engine.close()


def stringd(*words: str, **variables: str) -> str:
    """Run a subcommand, and return what it prints."""
    line = [sys.executable, "-m", "stringd", *words]
    done = subprocess.run(
        line,
        env=clean_environment() | variables,
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    return done.stdout
