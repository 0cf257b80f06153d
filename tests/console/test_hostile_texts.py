"""Whatever agents write is shown as text, wherever it appears."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.chromium import Tab, needs_chromium
from tests.console.hostile_daemon import hostile_daemon, topic_paths
from tests.console.hostile_texts import HOSTILE_TEXTS
from tests.console.page_structure import imitations, oddities
from tests.console.signing_in import sign_in, signed_in

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]
_PAGE = re.compile(r'<a href="/console/([a-z-]+)"')
_RUN = re.compile(r'href="/console/runs/(default/[^"?]+)"')
_PAGES = "[...document.querySelectorAll('.bar nav a')].map((it) => new URL(it.href).pathname.slice(9))"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon full of hostile texts."""
    with hostile_daemon(tmp_path_factory.mktemp("hostile")) as daemon:
        yield daemon


def test_there_are_two_hundred() -> None:
    assert len(HOSTILE_TEXTS) >= 200


@pytest.mark.requirement("console.hostile")
def test_no_text_makes_an_element_or_an_attribute(hostile: DaemonProcess) -> None:
    browser = signed_in(hostile)
    paths = [*_PAGE.findall(browser.get("/console/topics").text), *topic_paths()]
    paths += [f"runs/{it}" for it in _RUN.findall(browser.get("/console/runs").text)]
    assert len(paths) > 40
    shown = 0
    for path in paths:
        page = browser.get(f"/console/{path}")
        assert page.status == 200, path
        assert oddities(page.text) == [], path
        assert imitations(page.text) == [], path
        shown += page.text.count("window.hacked")
    assert shown > 100


@needs_chromium
@pytest.mark.requirement("console.hostile", "console.origin")
def test_no_text_acts_in_a_browser(hostile: DaemonProcess, open_tab: Callable[[], Tab]) -> None:
    """The fixture of the tab fails if a page violates its policy, or asks another origin for anything."""
    tab = open_tab()
    sign_in(tab, hostile)
    for path in (*tab.run(_PAGES), *topic_paths()):
        tab.open(f"{hostile.url}/console/{path}")
        tab.wait_text("Live", "#connection")
        tab.run("document.querySelectorAll('details').forEach((it) => { it.open = true })")
        for _ in range(30):
            tab.press("Tab")
        assert tab.run("window.hacked ?? null") is None, path
        assert tab.run("location.pathname") == f"/console/{path}"
        assert tab.run("document.title.endsWith('stringd')"), path
        assert tab.run("document.documentElement.scrollWidth <= innerWidth"), path
