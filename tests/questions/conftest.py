"""Daemons with the plugin `asker`, with and without an operator, each shared by the tests of a module."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.questions.people import Operator, People

PLUGIN = str(Path(__file__).with_name("asker.py"))


def _running(folder: Path, *, operator: bool) -> Iterator[DaemonProcess]:
    env = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    options = ("--plugins", PLUGIN, "--commands-part-characters", "100000")
    daemon = DaemonProcess(folder, options, env, port=0, data_dir=None, operator=operator)
    daemon.start()
    yield daemon
    daemon.stop()


def _emptied(daemon: DaemonProcess) -> DaemonProcess:
    """Return a daemon with only the user `default`, and no open questions."""
    for user in daemon.request("GET", "/users").json()["users"]:
        daemon.request("DELETE", f"/users/{user['id']}")
    daemon.register("default", daemon.home)
    assert daemon.request("GET", "/questions").json()["questions"] == []
    return daemon


@pytest.fixture(scope="module")
def without_operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    yield from _running(tmp_path_factory.mktemp("asking"), operator=False)


@pytest.fixture(scope="module")
def with_operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    yield from _running(tmp_path_factory.mktemp("operated"), operator=True)


@pytest.fixture
def asking(without_operator: DaemonProcess) -> DaemonProcess:
    """A daemon that cannot have an operator, as `string` starts it."""
    return _emptied(without_operator)


@pytest.fixture
def operated(with_operator: DaemonProcess) -> DaemonProcess:
    """A daemon whose operator is not attached."""
    return _emptied(with_operator)


@pytest.fixture
def people(asking: DaemonProcess) -> People:
    return People(asking)


@pytest.fixture
def operator(operated: DaemonProcess) -> Iterator[Operator]:
    """An operator who is attached through a stream of questions."""
    with Operator(operated) as attached:
        yield attached
