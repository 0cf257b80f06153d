"""A web topic without a daemon: the loader on a fake network."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import uvloop

from stringd.errors import Refusal
from stringd.plugin import LoadedBytes, LoadOptions, LoadRequest, Topic, WritePiece
from stringd_web.browser.live_pages import LivePages
from stringd_web.browser.shared_browser import Browser
from stringd_web.web_loader import web_loader
from tests.documents.standing import standing
from tests.http_client.fake_network import FakeNetwork


class Visitor:
    """Opens URLs in a topic with the web loader; topics share an HTTP client."""

    def __init__(
        self, home: Path, runner: asyncio.Runner, fake_network: FakeNetwork, own_port: int = 0
    ) -> None:
        self._session = standing(home)
        self._runner = runner
        self._client = runner.run(_made(fake_network, own_port))
        self._loader = web_loader(
            cast("Any", SimpleNamespace(http=self._client, settings=lambda record: record())),
            browser := Browser(),
            lambda: LivePages(browser),
        )
        self.topic = Topic()

    def open(
        self, url: str, *, part_of: str | None = None, save: WritePiece | None = None, **options: Any
    ) -> LoadedBytes:
        """Return what the loader brings for a URL."""
        request = LoadRequest(
            uri=url,
            session=self._session,
            topic=self.topic,
            options=LoadOptions(**options),
            part_of=part_of,
            save=save,
        )
        loaded = self._runner.run(self._load(request))
        assert isinstance(loaded, LoadedBytes)
        return loaded

    def text(self, url: str, **wanted: Any) -> str:
        """Load a URL and return the body as text."""
        return self.open(url, **wanted).body.decode()

    def refusal(self, url: str, **wanted: Any) -> tuple[str, str]:
        """Return the code and the message of a refusal."""
        try:
            loaded = self.open(url, **wanted)
        except Refusal as refusal:
            return refusal.code, "\n".join((refusal.message, *refusal.context))
        raise AssertionError(loaded)

    def close(self) -> None:
        """Close the topic; the next load opens a new one."""
        self.topic = Topic()

    async def _load(self, wanted: LoadRequest) -> object:
        return await self._loader.load(wanted)


async def _made(fake_network: FakeNetwork, own_port: int) -> Any:
    return fake_network.client(own_port)


@contextmanager
def visiting(home: Path, fake_network: FakeNetwork, own_port: int = 0) -> Iterator[Visitor]:
    """Provide a visitor until the end of the block."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        visitor = Visitor(home, runner, fake_network, own_port)
        yield visitor
        runner.run(visitor._client.aclose())
