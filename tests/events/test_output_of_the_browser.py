"""The steps of loading a page in Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.events.output import Watched
from tests.web.chromium_pages import needs_chromium
from tests.web.server import Site, serving

pytestmark = [needs_chromium, pytest.mark.timeout(90)]


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest.mark.long
@pytest.mark.requirement("output.browser")
def test_steps_of_the_browser_are_published(watched: Watched, site: Site) -> None:
    uri = site.page("/page", "<h1>Page</h1>")
    reply = watched.daemon.exec(f"/open {uri} --browser", "web:main")
    assert reply.head["ok"], reply.content
    steps = "".join(it["text"] for it in watched.events("output") if it["source"] == "browser")
    assert steps == f"waiting for the browser\nloading {uri}\nrunning its scripts\nreading the page\n"
