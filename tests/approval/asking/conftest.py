"""A daemon with the gate and `/decide`, shared by the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.questions.people import Operator, People

PLUGIN = str(Path(__file__).with_name("gated.py"))
POLICY = "approval.yaml"


@pytest.fixture(scope="module")
def gated_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    options = ("--plugins", PLUGIN, "--approve", "shell", "--audit", "commands")
    folder = tmp_path_factory.mktemp("gated")
    daemon = DaemonProcess(folder, options, {}, port=0, data_dir=None, operator=True)
    daemon.start()
    yield daemon
    daemon.stop()


@pytest.fixture
def gated(gated_daemon: DaemonProcess) -> DaemonProcess:
    """The daemon with only the user `default`, and without a policy of its own or questions."""
    for user in gated_daemon.request("GET", "/users").json()["users"]:
        gated_daemon.request("DELETE", f"/users/{user['id']}")
    (gated_daemon.data_dir / POLICY).unlink(missing_ok=True)
    gated_daemon.register("default", gated_daemon.home)
    assert gated_daemon.request("GET", "/questions").json()["questions"] == []
    return gated_daemon


@pytest.fixture
def people(gated: DaemonProcess) -> People:
    """Clients of a daemon to which no operator is attached."""
    return People(gated)


@pytest.fixture
def operator(gated: DaemonProcess) -> Iterator[Operator]:
    """An operator who is attached through a stream of questions."""
    with Operator(gated) as attached:
        yield attached
