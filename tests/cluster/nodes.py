"""Real nodes of a cluster, with proxies to the engine and in front of each, which tests can cut."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path

from stringd.testing.process import DaemonProcess
from tests.cluster.cuts import Cut
from tests.cluster.engine import Engine
from tests.programs import run_stringd
from tests.protocol.waits import eventually

LEASE_SECONDS = 3.0
_LEAVE_SECONDS = 20.0
_LOOPBACK = "127.0.0.1"
_LISTENING_FOR_NODES = re.compile(r"listening on https://\S+:(\d+) \(nodes\)")


class Node(DaemonProcess):
    """A node that reaches the engine, and is reached by other nodes, through proxies."""

    def __init__(
        self,
        name: str,
        folder: Path,
        *,
        engine: Engine,
        database: str,
        lease_seconds: float,
        labels: Sequence[str] = (),
        arguments: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        operator: bool = False,
    ) -> None:
        self.name = name
        self.engine_cut = Cut(engine.socket)
        self.peer_cut = Cut()
        self.database_url = engine.url(database, self.engine_cut.address)
        options = (
            *("--cluster", self.database_url),
            *("--node", name),
            *("--lease-seconds", str(lease_seconds)),
            *("--listen", f"{_LOOPBACK}:0"),
            *("--node-listen", f"{_LOOPBACK}:0"),
            *("--advertise", self.peer_cut.address),
            *(("--labels", ",".join(labels)) if labels else ()),
        )
        super().__init__(folder, (*options, *arguments), env or {}, port=0, data_dir=None, operator=operator)
        self._own_folder = folder

    @property
    def is_running(self) -> bool:
        """Whether its process has not ended."""
        return self.process.poll() is None

    def start(self, *, ready: bool = True) -> None:
        # Another port each time tells shells of this start from those of the one before.
        self.port = 0
        self._keep_log()
        super().start(ready=ready)

    def _keep_log(self) -> None:
        """Keep what was logged before, with the time of its end: a start begins the log anew."""
        if self._log.exists():
            self._log.rename(self._log.with_suffix(f".{time.time_ns()}.txt"))

    def _await_listening(self) -> None:
        super()._await_listening()
        listening = eventually(lambda: _LISTENING_FOR_NODES.search(self.stderr()))
        self.peer_cut.lead_to((_LOOPBACK, int(listening[1])))

    def join(self, secret: str) -> str:
        """Make it a node of the cluster, or of a new one without a secret; return the join secret."""
        command = ("join",) if secret else ("init", "--homes", "shared", "--json")
        options = ("--cluster", self.database_url, "--data-dir", str(self.data_dir), "--node", self.name)
        env = {"STRINGD_JOIN_SECRET": secret} if secret else {}
        printed = _stringd(*options, "cluster", *command, "--no-start", folder=self._own_folder, env=env)
        return secret or str(json.loads(printed)["join_secret"])

    def pause(self) -> None:
        """Stop its process where it is, as a host does that is out of breath."""
        os.kill(self.process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on after `pause`."""
        os.kill(self.process.pid, signal.SIGCONT)

    def leave(self) -> None:
        """Shut it down in order."""
        self.stop(_LEAVE_SECONDS)

    def close(self) -> None:
        """End it and its proxies."""
        if hasattr(self, "process") and self.is_running:
            self.resume()
            self.kill()
        self.engine_cut.close()
        self.peer_cut.close()


class Cluster:
    """Nodes with one database and the homes of their users, which all of them reach."""

    def __init__(self, engine: Engine, database: str, folder: Path) -> None:
        self.engine = engine
        self.nodes: list[Node] = []
        self._database = database
        self._folder = folder
        self._join_secret = ""
        self._operator_token = ""

    def node(
        self,
        name: str,
        *,
        labels: Sequence[str] = (),
        lease_seconds: float = LEASE_SECONDS,
        arguments: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        operator: bool = False,
        start: bool = True,
    ) -> Node:
        """Add a node, and start it."""
        node = Node(
            name,
            self._folder / name,
            engine=self.engine,
            database=self._database,
            lease_seconds=lease_seconds,
            labels=labels,
            arguments=arguments,
            env=env,
            operator=operator,
        )
        self.nodes.append(node)
        self._join_secret = node.join(self._join_secret)
        if start:
            node.start()
        return node

    def home(self, user: str) -> Path:
        """Return the home of a user, which is on a disk that all nodes share."""
        return self._folder / "homes" / user

    def token(self, user: str, *scopes: str) -> str:
        """Create a token of a user, by default with the scope `exec`."""
        return self._admin(
            "token", "create", "--user", user, "--scope", ",".join(scopes or ("exec",))
        ).strip()

    def revoke(self, user: str) -> None:
        """Revoke all tokens of a user."""
        self._admin("token", "revoke", "--user", user)

    def limit(self, user: str, per_second: str) -> None:
        """Limit the requests of a user, or set the limit of the settings again with `none`."""
        self._admin("cluster", "limit", user, per_second)

    def register(self, user: str) -> None:
        """Register a user with that home."""
        body = {"id": user, "home": str(self.home(user))}
        headers = {"Authorization": f"Bearer {self._admin_token()}", "Content-Type": "application/json"}
        reply = self.nodes[0].request("POST", "/users", body, headers)
        assert reply.status == HTTPStatus.OK, reply.text

    def remove(self, user: str) -> None:
        """Remove a user."""
        headers = {"Authorization": f"Bearer {self._admin_token()}"}
        reply = self.nodes[0].request("DELETE", f"/users/{user}", None, headers)
        assert reply.status == HTTPStatus.OK, reply.text

    def owner(self, user: str) -> str | None:
        """Return the name of the node that has a user's home, if its lease is valid."""
        return (
            self.sql(
                "SELECT n.name FROM stringd.homes h JOIN stringd.nodes n ON n.id = h.owner"
                f" WHERE h.id = '{user}' AND n.expires > clock_timestamp()"
            )
            or None
        )

    def homes_of(self, name: str) -> list[str]:
        """Return the users whose homes a node has, by the node's name."""
        query = "SELECT h.id FROM stringd.homes h JOIN stringd.nodes n ON n.id = h.owner WHERE n.name = "
        return self.sql(f"{query}'{name}' ORDER BY h.id").split()

    def drain(self, name: str, *, undo: bool = False) -> None:
        """Let a node's homes go to other nodes, or let it take homes again."""
        self._admin("cluster", "drain", name, *(("--undo",) if undo else ()))

    def pin(self, user: str, label: str) -> None:
        """Let only nodes with a label or name have a user's home."""
        self._admin("cluster", "pin", user, label)

    def move(self, user: str, name: str) -> None:
        """Move a user's home to a node."""
        self._admin("cluster", "move", user, name)

    def status(self) -> str:
        """Return what `stringd cluster status` prints."""
        return self._admin("cluster", "status")

    def sql(self, statement: str) -> str:
        """Run a statement past all proxies."""
        return self.engine.sql(statement, database=self._database)

    def await_owner(
        self, user: str, expected: Callable[[str | None], bool], within: float = 20.0
    ) -> str | None:
        """Wait until the owner of a home is as expected; return it."""
        eventually(lambda: expected(self.owner(user)), within)
        return self.owner(user)

    def close(self) -> None:
        """End all nodes."""
        for it in self.nodes:
            it.close()

    def _admin_token(self) -> str:
        if not self._operator_token:
            self._operator_token = self.token("operator", "admin")
        return self._operator_token

    def _admin(self, *arguments: str) -> str:
        url = self.engine.url(self._database)
        return _stringd("--cluster", url, *arguments, folder=self._folder)


def _stringd(*arguments: str, folder: Path, env: Mapping[str, str] | None = None) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    done = run_stringd(*arguments, folder=folder, env=env)
    assert done.returncode == 0, f"stringd {' '.join(arguments)}: {done.stdout}{done.stderr}"
    return done.stdout
