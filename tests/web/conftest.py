"""Fixtures of the web's tests: web servers on loopback, one daemon for a module, a topic for each test."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, running_daemon
from tests.http_client.fake_network import FakeNetwork
from tests.web.chromium_pages import Sight, sight
from tests.web.server import Site, serving
from tests.web.visiting import Visitor, visiting

NUMBERS = itertools.count(1)


@pytest.fixture
def site() -> Iterator[Site]:
    """A web server that serves nothing yet: `site.page(path, html)`, `site.serve(path, reply)`."""
    with serving() as running:
        yield running


@pytest.fixture
def other_site() -> Iterator[Site]:
    """Another one, which is another origin."""
    with serving() as running:
        yield running


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that the tests of a module share; it may not notice more than one of them."""
    with running_daemon(tmp_path_factory.mktemp("shared")) as running:
        yield running


@pytest.fixture
def stage(shared: DaemonProcess) -> Stage:
    """A web topic that nothing has been sent to yet."""
    return Stage(daemon=shared, topic=f"web:test-{next(NUMBERS)}")


@pytest.fixture
def fake_network() -> FakeNetwork:
    """An internet without names."""
    return FakeNetwork()


@pytest.fixture
def visitor(tmp_path: Path, fake_network: FakeNetwork) -> Iterator[Visitor]:
    """Who opens URLs with the loader alone: `visitor.open(url)`, `visitor.refusal(url)`."""
    with visiting(tmp_path, fake_network) as visiting_now:
        yield visiting_now


@pytest.fixture(scope="module")
def shared_sight() -> Iterator[Sight]:
    """A browser that the tests of a module share."""
    with sight() as ready:
        yield ready


@pytest.fixture
def eye(shared_sight: Sight, caplog: pytest.LogCaptureFixture) -> Iterator[Sight]:
    """A browser that has seen nothing yet; no page may make the daemon stumble."""
    shared_sight.forget()
    yield shared_sight
    assert [it for it in caplog.records if it.levelno >= logging.ERROR] == []
