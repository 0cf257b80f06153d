"""Pages work in browsers that lack what Chromium has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.chromium import Tab, needs_chromium
from tests.console.signing_in import sign_in

pytestmark = [needs_chromium, pytest.mark.timeout(90)]


@pytest.mark.requirement("console.browsers")
def test_pages_work_without_trusted_types(open_tab: Callable[[], Tab], operated: DaemonProcess) -> None:
    tab = open_tab()
    # Chromium's policy would refuse what browsers without Trusted Types take.
    tab.call("Page.setBypassCSP", enabled=True)
    tab.call("Page.addScriptToEvaluateOnNewDocument", source="delete globalThis.trustedTypes")
    sign_in(tab, operated)
    operated.exec("/info", "file:unseen")
    tab.wait_text("unseen", "#topics")
