"""Fixtures: a daemon, an app on disk, and a web server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.apps.shelf import write_app
from tests.apps.site import Site


@pytest.fixture
def app(daemon: DaemonProcess) -> Path:
    """An app in a directory of the user's, not installed."""
    return write_app(daemon.home / "apps" / "parrot")


@pytest.fixture
def installed(daemon: DaemonProcess, app: Path) -> DaemonProcess:
    """A daemon whose user has installed the app."""
    assert daemon.exec(f"/install {app}").head["ok"]
    return daemon


@pytest.fixture
def site() -> Iterator[Site]:
    """A web server on loopback that serves what it is given."""
    with Site() as running:
        yield running
