"""A page that loses the daemon says so, and goes on by itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.cli.counting_proxy import CountingProxy
from tests.console.chromium import Tab, needs_chromium
from tests.console.signing_in import console_link

pytestmark = [needs_chromium, pytest.mark.long, pytest.mark.timeout(120)]


@pytest.mark.requirement("console.reconnects")
def test_page_says_that_it_was_away(open_tab: Callable[[], Tab], operated: DaemonProcess) -> None:
    tab = open_tab()
    with CountingProxy(operated.port) as line:
        tab.open(console_link(operated).replace(f":{operated.port}/", f":{line.port}/"))
        tab.wait_text("Live", "#connection")
    tab.wait_text("is lost", "#away")
    assert tab.text("#connection") == "Away"
    operated.exec("/info", "file:meanwhile")
    tab.run("document.querySelector('input').focus()")
    tab.type("mean")
    with CountingProxy(operated.port, line.port):
        tab.wait_text("was lost for", "#away")
        assert tab.text("#connection") == "Live"
        tab.wait_text("meanwhile", "#topics")
        assert tab.run("document.activeElement.value") == "mean"


@pytest.mark.requirement("console.reconnects")
def test_page_says_that_what_it_showed_is_gone(open_tab: Callable[[], Tab], operated: DaemonProcess) -> None:
    tab = open_tab()
    operated.register("gone")
    with CountingProxy(operated.port) as line:
        tab.open(console_link(operated).replace(f":{operated.port}/", f":{line.port}/"))
        tab.wait_text("Live", "#connection")
        tab.open(f"http://127.0.0.1:{line.port}/console/topics/gone/file:a")
        tab.wait_text("Live", "#connection")
    tab.wait_text("is lost", "#away")
    operated.request("DELETE", "/users/gone")
    with CountingProxy(operated.port, line.port):
        tab.wait_text("is not there any more", "#away")
