"""A server with recorded answers that is reached by its URL, and both clients."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from stringd.client import DaemonAddress
from tests.client.drivers import Talk, talk_async, talk_blocking
from tests.client.fake import FakeDaemon, json_answer

TOKEN = "strd_recorded"
Remote = Callable[..., DaemonAddress]


@pytest.fixture
def fake() -> Iterator[FakeDaemon]:
    """A server that says of itself that it speaks v0.2."""
    with FakeDaemon(routes={"GET /health": [health("0.2")]}) as server:
        yield server


@pytest.fixture
def address(fake: FakeDaemon) -> DaemonAddress:
    """The URL of the server, with a token."""
    return DaemonAddress.of_url(f"http://127.0.0.1:{fake.port}", token=TOKEN)


@pytest.fixture(params=[talk_blocking, talk_async], ids=["blocking", "async"])
def talk(request: pytest.FixtureRequest) -> Talk:
    chosen: Talk = request.param
    return chosen


def health(protocol: str | None) -> bytes:
    """Return an answer of `/health`."""
    said = {} if protocol is None else {"protocol": protocol}
    return json_answer({"ok": True, "users": 1, "sessions": 0, **said})
