"""Fixtures for the HTTP client."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.http_client.fake_network import FakeNetwork
from tests.web.server import Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    """A web server that serves nothing yet."""
    with serving() as running:
        yield running


@pytest.fixture
def fake_network() -> FakeNetwork:
    """An internet without names."""
    return FakeNetwork()
