"""A daemon whose topics can ask anything, and whose operator has a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.approval.daemons import SOCKET
from tests.console.live_stream import LiveStream
from tests.console.signing_in import SignedIn, signed_in
from tests.questions.conftest import PLUGIN
from tests.questions.people import People


@pytest.fixture(scope="module")
def asking_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with an operator, the plugin `asker`, and the socket for requests in its data directory."""
    folder = tmp_path_factory.mktemp("asked")
    socket = str(folder / "data" / SOCKET)
    options = ["--plugins", PLUGIN, "--approval-socket", socket, "--commands-part-characters", "2000000"]
    env = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    daemon = DaemonProcess(folder, options, env, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register()
    yield daemon
    daemon.kill()


@pytest.fixture
def people(asking_daemon: DaemonProcess) -> Iterator[People]:
    """Ask questions of the daemon; those that are still open at the end are withdrawn."""
    yield People(asking_daemon)
    for topic in {it["topic"] for it in People(asking_daemon).listed() if it["topic"]}:
        asking_daemon.request("DELETE", f"/sessions/default/{topic}")


@pytest.fixture
def browser(asking_daemon: DaemonProcess) -> SignedIn:
    """A signed-in browser without a screen."""
    return signed_in(asking_daemon)


@pytest.fixture
def page(browser: SignedIn) -> Iterator[LiveStream]:
    """The page of all questions, which attaches the operator."""
    with LiveStream(browser, "questions") as stream:
        yield stream
