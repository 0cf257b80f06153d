"""Two daemons that share events, questions and operators through a database, but have no homes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.protocol.waits import eventually

PLUGIN = Path(__file__).with_name("sharing_plugin.py")
ASKER = Path(__file__).parents[2] / "questions" / "asker.py"


@pytest.fixture
def start_node(start_daemon: Callable[..., DaemonProcess], database: str) -> Callable[..., DaemonProcess]:
    """Return a function that starts a node with a name, an operator, and the plugin `asker`."""

    def start(name: str, *, url: str = database) -> DaemonProcess:
        environment = {"TESTED_DATABASE": url, "TESTED_NODE": name}
        daemon = start_daemon("--plugins", f"{PLUGIN},{ASKER}", env=environment)
        token = daemon.data_dir / "operator.txt"
        eventually(lambda: token.exists() and token.read_text(encoding="utf-8"))
        daemon.operator_token = token.read_text(encoding="utf-8")
        daemon.register("default", daemon.home)
        return daemon

    return start


@pytest.fixture
def ann(start_node: Callable[..., DaemonProcess]) -> DaemonProcess:
    """A node called ann."""
    return start_node("ann")


@pytest.fixture
def bob(ann: DaemonProcess, start_node: Callable[..., DaemonProcess]) -> DaemonProcess:
    """Another node, called bob."""
    return start_node("bob")


@pytest.fixture
def chanflow() -> Callable[[DaemonProcess, int], None]:
    """Return a function that runs many commands in few requests."""

    def run(daemon: DaemonProcess, count: int) -> None:
        while count > 0:
            blocks = "<𝒞=string:file:flood>/nope</𝒞>\n" * min(count, 1000)
            assert daemon.request("POST", "/chanflow", blocks, {"X-User-Id": "default"}).status == 200
            count -= 1000

    return run
