"""The page of a topic, without a browser: what it shows, and what its actions do."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.signing_in import SignedIn, signed_in

pytestmark = pytest.mark.timeout(90)


@pytest.fixture(scope="module")
def browser(operated: DaemonProcess) -> SignedIn:
    """A signed-in browser."""
    return signed_in(operated)


def test_a_topic_shows_its_commands_and_what_they_answered(
    operated: DaemonProcess, browser: SignedIn
) -> None:
    operated.exec("/write notes.md\n# Notes\n\nA *fine* text.\n", "file:shown")
    operated.exec("/open notes.md", "file:shown")
    operated.exec("/open missing.md", "file:shown")
    page = browser.get("/console/topics/default/file:shown").text
    assert "/open notes.md" in page
    assert "<em>fine</em>" in page
    assert "File not found: missing.md" in page
    assert "NOT_FOUND" in page
    assert "Undo the change of" in page


def test_topics_that_cannot_be_are_not_found(browser: SignedIn) -> None:
    for path in ("default/nope:x", "nobody/file:x", "default/file:a/b", "default"):
        assert browser.get(f"/console/topics/{path}").status == 404, path


def test_a_topic_is_opened_sent_to_and_closed(operated: DaemonProcess, browser: SignedIn) -> None:
    opened = browser.act("topics/open", user="default", type="file", name="fresh")
    assert opened.json()["go"] == "/console/topics/default/file:fresh"
    browser.act("topics/send", user="default", topic="file:fresh", text='/set {city} = "Paris"')
    page = browser.get("/console/topics/default/file:fresh").text
    assert "Paris" in page
    assert browser.act("topics/close", user="default", topic="file:fresh").status == 200
    topics = operated.request("GET", "/sessions", headers={"X-User-Id": "default"}).text
    assert "file:fresh" not in topics
    page = browser.get("/console/topics/default/file:fresh").text
    assert "Paris" not in page
    assert "not open" in page
