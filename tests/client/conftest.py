"""Fixtures for the clients: a server with recorded responses, and both clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.client.drivers import Talk, talk_async, talk_blocking
from tests.client.fake import FakeDaemon

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def fake() -> Iterator[FakeDaemon]:
    with FakeDaemon() as server:
        yield server


@pytest.fixture(params=[talk_blocking, talk_async], ids=["blocking", "async"])
def talk(request: pytest.FixtureRequest) -> Talk:
    chosen: Talk = request.param
    return chosen
