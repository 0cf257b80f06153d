"""Fixtures of the web tests: loopback web servers, a daemon per module, a topic per test."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, running_daemon
from tests.http_client.fake_network import FakeNetwork
from tests.web.chromium_pages import BrowserHarness, running_browser
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
    """A second web server, with another origin."""
    with serving() as running:
        yield running


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon shared by the tests of a module, each with its own topic."""
    with running_daemon(tmp_path_factory.mktemp("shared")) as running:
        yield running


@pytest.fixture
def stage(shared: DaemonProcess) -> Stage:
    """A new web topic."""
    return Stage(daemon=shared, topic=f"web:test-{next(NUMBERS)}")


@pytest.fixture
def fake_network() -> FakeNetwork:
    """A fake network without names."""
    return FakeNetwork()


@pytest.fixture
def visitor(tmp_path: Path, fake_network: FakeNetwork) -> Iterator[Visitor]:
    """Opens URLs with the loader alone: `visitor.open(url)`, `visitor.refusal(url)`."""
    with visiting(tmp_path, fake_network) as visiting_now:
        yield visiting_now


@pytest.fixture(scope="module")
def shared_browser_harness() -> Iterator[BrowserHarness]:
    """A browser shared by the tests of a module."""
    with running_browser() as ready:
        yield ready


@pytest.fixture
def chromium(
    shared_browser_harness: BrowserHarness, caplog: pytest.LogCaptureFixture
) -> Iterator[BrowserHarness]:
    """The shared browser, reset; fails if a page causes an error in the log."""
    shared_browser_harness.forget()
    yield shared_browser_harness
    assert [it for it in caplog.records if it.levelno >= logging.ERROR] == []
