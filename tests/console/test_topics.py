"""The page of all topics."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.chromium import Tab, needs_chromium

pytestmark = [needs_chromium, pytest.mark.timeout(90)]


def test_topics_appear_and_change_while_they_are_watched(tab: Tab, operated: DaemonProcess) -> None:
    tab.wait_text("No topics yet", "main")
    operated.exec("/info", "file:notes")
    tab.wait_text("file:notes", "#topics")
    operated.exec("sleep 60 &", "bash:build")
    operated.exec("echo hello", "bash:build")
    tab.wait_text("bash:build", "#topics")
    tab.wait_text("2 topics", "main")
