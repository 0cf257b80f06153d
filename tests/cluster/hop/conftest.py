"""Daemons that pass requests on to each other by real TLS, and are told which homes they have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from stringd.testing.process import DaemonProcess
from stringd_cluster.hop.certificates import Authority
from stringd_cluster.hop.join_secret import SealingKey, new_join_secret
from stringd_cluster.hop.node_folder import FOLDER
from stringd_cluster.hop.node_identity import NodeIdentity
from tests.cluster.cuts import Cut
from tests.ports import free_port

PLUGIN = Path(__file__).with_name("hopping_plugin.py")


class Hopper:
    """A node, and the proxy by which the others reach it."""

    def __init__(self, daemon: DaemonProcess, identity: NodeIdentity, port: int) -> None:
        self.daemon = daemon
        self.identity = identity
        self.port = port
        self.cut = Cut(("127.0.0.1", port))

    @property
    def seen(self) -> Mapping[str, Any]:
        """What its application has noted, and how often it looked a home up."""
        found: Mapping[str, Any] = self.daemon.request("GET", "/control").json()
        return found

    @property
    def log(self) -> list[str]:
        """What its application has noted."""
        log: list[str] = self.seen["log"]
        return log


class Hoppers:
    """Nodes of one cluster."""

    def __init__(self, start: Callable[..., DaemonProcess], folder: Path) -> None:
        self._start = start
        self._folder = folder
        self._cluster_id = uuid4()
        self._sealing = SealingKey.derived(new_join_secret())
        self._authority = Authority.made(self._cluster_id)
        self._nodes: dict[str, Hopper] = {}

    def __getitem__(self, name: str) -> Hopper:
        return self._nodes[name]

    def add(self, name: str) -> Hopper:
        """Start a node."""
        port, data_dir = free_port(), self._folder / name
        identity = self._identity(data_dir, name)
        env = {"HOPPING": str(port)}
        daemon = self._start("--plugins", str(PLUGIN), env=env, data_dir=data_dir)
        self._nodes[name] = Hopper(daemon, identity, port)
        return self._nodes[name]

    def tell(
        self,
        *told: str,
        gone: str = "",
        moved: Mapping[str, str] | None = None,
        addresses: Mapping[str, str] | None = None,
        **owners: str,
    ) -> None:
        """Tell nodes, by default all, who has the homes, also once they ask again, and who is gone."""
        nodes = {name: it.cut.address for name, it in self._nodes.items() if name != gone}
        state = {"nodes": nodes | {**(addresses or {})}, "owners": owners, "moved": moved or {}}
        for name in told or self._nodes:
            assert self._nodes[name].daemon.request("POST", "/control", state).status == 200

    def close(self) -> None:
        """End the proxies."""
        for it in self._nodes.values():
            it.cut.close()

    def _identity(self, data_dir: Path, name: str) -> NodeIdentity:
        identity = NodeIdentity(
            folder=data_dir / FOLDER, cluster_id=str(self._cluster_id), name=name, url="postgresql://db/x"
        )
        data_dir.mkdir(mode=0o700)
        identity.store(self._authority.certificate, self._authority.issue(name), self._sealing)
        return identity


@pytest.fixture
def hoppers(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> Iterator[Hoppers]:
    """Nodes `a` and `b`; the home of ann is at b."""
    nodes = Hoppers(start_daemon, tmp_path)
    for name in "ab":
        nodes.add(name)
    nodes.tell(ann="b")
    yield nodes
    nodes.close()
