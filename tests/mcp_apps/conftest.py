"""A daemon with the raw server installed, which the tests of the room share, and its operator."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp_apps.remote_server import RemoteServer
from tests.mcp_apps.serving import installed
from tests.questions.people import Operator


@pytest.fixture(scope="package")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon of the room with the raw server as `app:raw`, and an operator's token."""
    daemon = DaemonProcess(tmp_path_factory.mktemp("servers"), (), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    try:
        daemon.home.mkdir(parents=True, exist_ok=True)
        daemon.register("default", daemon.home)
        yield installed(daemon)
    finally:
        daemon.stop()


@pytest.fixture
def operator(raw: DaemonProcess) -> Iterator[Operator]:
    """An operator who is attached."""
    with Operator(raw) as attached:
        yield attached


@pytest.fixture
def remote() -> Iterator[RemoteServer]:
    """A remote server on loopback."""
    with RemoteServer() as running:
        yield running
