"""Fixtures: one daemon per module, and one topic and service per test."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.acting import Stage, running_daemon
from tests.actions.service import Service, serving

NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that the tests of a module share; it may not notice more than one of them."""
    with running_daemon(tmp_path_factory.mktemp("shared")) as running:
        yield running


@pytest.fixture
def stage(shared: DaemonProcess) -> Stage:
    """A topic that nothing has been sent to yet."""
    return Stage(daemon=shared, topic=f"file:test-{next(NUMBERS)}")


@pytest.fixture
def service() -> Iterator[Service]:
    """A service that knows no request yet."""
    with serving() as running:
        yield running
