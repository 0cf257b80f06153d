"""A daemon with an operator, and a signed-in browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.chromium import Chromium, Tab, running_chromium
from tests.console.signing_in import sign_in


@pytest.fixture(scope="module")
def operated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with an operator and the user `default`, shared by the tests of a module."""
    daemon = DaemonProcess(tmp_path_factory.mktemp("console"), (), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.home.mkdir(exist_ok=True)
    daemon.register("default", daemon.home)
    yield daemon
    daemon.kill()


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """A browser for all tests of this process."""
    with running_chromium(tmp_path_factory.mktemp("chromium")) as browser:
        yield browser


@pytest.fixture
def open_tab(chromium: Chromium) -> Iterator[Callable[[], Tab]]:
    """Return a function that opens tabs, each like another browser, which close with the test.

    The test fails if a page complains, such as of a violation of its policy, or asks for anything elsewhere.
    """
    tabs: list[Tab] = []

    def open_one() -> Tab:
        tabs.append(chromium.tab())
        tabs[-1].resize(1280)
        return tabs[-1]

    yield open_one
    for tab in tabs:
        tab.run("1")
        tab.close()
        # The form controls of the browser itself have icons in data URLs.
        here = ("http://127.0.0.1:", "about:", "data:")
        elsewhere = [it for it in tab.requests if not it.startswith(here)]
        assert not elsewhere
        assert not tab.complaints


@pytest.fixture
def tab(open_tab: Callable[[], Tab], operated: DaemonProcess) -> Tab:
    """A tab that shows the console of the shared daemon, signed in."""
    opened = open_tab()
    sign_in(opened, operated)
    return opened


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    """A folder for pictures."""
    return tmp_path


@pytest.fixture
def busy(operated: DaemonProcess) -> DaemonProcess:
    """The shared daemon with something on every page."""
    (operated.home / "notes.md").write_text("# Notes\n\nSome *text*, `code` and a [link](other.md).\n")
    operated.exec("/open notes.md", "file:notes")
    operated.exec("/open missing.md", "file:notes")
    operated.exec("seq 30; false", "bash:build")
    return operated
