"""The page of a topic, without a browser: what it shows, and what its actions do."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.signing_in import SignedIn, signed_in

pytestmark = pytest.mark.timeout(90)
SECONDS = 10.0


@pytest.fixture(scope="module")
def browser(operated: DaemonProcess) -> SignedIn:
    """A signed-in browser."""
    return signed_in(operated)


def page_of(browser: SignedIn, topic: str, until: Callable[[str], bool] = bool) -> str:
    """Return the page of a topic, once it is as expected."""
    end = time.monotonic() + SECONDS
    while not until(text := browser.get(f"/console/topics/default/{topic}").text):
        assert time.monotonic() < end, text
        time.sleep(0.02)
    return text


@pytest.mark.requirement("console.topic.exchanges")
def test_a_topic_shows_its_commands_and_what_they_answered(
    operated: DaemonProcess, browser: SignedIn
) -> None:
    operated.exec("/write notes.md\n# Notes\n\nA *fine* text.\n", "file:shown")
    operated.exec("/open notes.md", "file:shown")
    operated.exec("/replace fine\ncoarse", "file:shown")
    operated.exec("/open missing.md", "file:shown")
    page = page_of(browser, "file:shown")
    assert "/open notes.md" in page
    assert "<em>fine</em>" in page
    assert "File not found: missing.md" in page
    assert "NOT_FOUND" in page
    assert "Undo the change of" in page


@pytest.mark.requirement("console.topic.exchanges")
def test_what_was_refused_at_once_is_shown_too(operated: DaemonProcess, browser: SignedIn) -> None:
    operated.exec("/nope", "file:refused")
    page = page_of(browser, "file:refused", lambda it: "/nope" in it)
    assert "COMMAND_UNSUPPORTED" in page
    browser.act("topics/send", user="default", topic="file:refused", text="/opne x.md")
    page = page_of(browser, "file:refused", lambda it: "Unknown command: /opne" in it)
    assert page.count("/opne x.md") == 1


def test_topics_that_cannot_be_are_not_found(browser: SignedIn) -> None:
    for path in ("default/nope:x", "nobody/file:x", "default/file:a/b", "default"):
        assert browser.get(f"/console/topics/{path}").status == 404, path


@pytest.mark.requirement("console.topic.acting")
def test_a_topic_is_opened_sent_to_and_closed(operated: DaemonProcess, browser: SignedIn) -> None:
    opened = browser.act("topics/open", user="default", type="file", name="fresh")
    assert opened.json()["go"] == "/console/topics/default/file:fresh"
    browser.act("topics/send", user="default", topic="file:fresh", text='/set {city} = "Paris"')
    assert "Paris" in page_of(browser, "file:fresh")
    assert browser.act("topics/close", user="default", topic="file:fresh").status == 200
    topics = operated.request("GET", "/sessions", headers={"X-User-Id": "default"}).text
    assert "file:fresh" not in topics
    page = page_of(browser, "file:fresh")
    assert "Paris" not in page
    assert "not open" in page


@pytest.mark.requirement("console.topic.acting")
def test_what_cannot_be_opened_or_sent_says_why(browser: SignedIn) -> None:
    assert browser.act("topics/open", user="default", type="nope", name="x").status == 422
    assert browser.act("topics/open", user="default", type="file", name="a b").status == 422
    assert browser.act("topics/send", user="default", topic="file:x", text=" ").status == 422
    assert browser.act("topics/send", user="nobody", topic="file:x", text="/info").status == 422
    assert browser.act("topics/close", user="default", topic="file:never").status == 422


@pytest.mark.requirement("console.topic.masked")
def test_secrets_are_masked_in_commands_and_variables(operated: DaemonProcess, browser: SignedIn) -> None:
    browser.act("topics/send", user="default", topic="file:secret", text='/set $KEY = "hunter2"')
    browser.act("topics/send", user="default", topic="bash:secret", text="$KEY = hunter2")
    operated.exec('/set $TOKEN = "hunter2"', "web:secret")
    for topic in ("file:secret", "bash:secret", "web:secret"):
        page = page_of(browser, topic, lambda it: "********" in it)
        assert "hunter2" not in page, topic


@pytest.mark.requirement("console.topic.acting")
def test_a_running_command_is_cancelled_and_a_program_gets_its_input(
    operated: DaemonProcess, browser: SignedIn
) -> None:
    browser.act("topics/send", user="default", topic="bash:run", text="sleep 100")
    page_of(browser, "bash:run", lambda it: "is-running" in it)
    assert browser.act("topics/cancel", user="default", topic="bash:run").json()["notice"]
    page_of(browser, "bash:run", lambda it: "CANCELLED" in it)
    browser.act("topics/send", user="default", topic="bash:run", text="read -p name: x; echo got-$x")
    page_of(browser, "bash:run", lambda it: "exit: waiting" in it)
    browser.act("topics/send", user="default", topic="bash:run", text="Ada")
    page_of(browser, "bash:run", lambda it: "got-Ada" in it)


@pytest.mark.requirement("console.topic.acting")
def test_commands_that_wait_are_cancelled_and_shown_as_such(
    operated: DaemonProcess, browser: SignedIn
) -> None:
    for text in ("sleep 100", "echo first-waiting", "echo second-waiting"):
        browser.act("topics/send", user="default", topic="bash:queue", text=text)
    page = page_of(browser, "bash:queue", lambda it: "2 waiting" in it)
    assert "Cancel all 2 that you sent" in page
    cancelled = browser.act("topics/cancel-waiting", user="default", topic="bash:queue")
    assert cancelled.json()["notice"] == "2 commands cancelled."
    browser.act("topics/cancel", user="default", topic="bash:queue")
    page = page_of(browser, "bash:queue", lambda it: it.count("CANCELLED") == 3)
    assert "second-waiting" in page


@pytest.mark.requirement("console.topic.whole")
def test_a_long_reply_is_cut_and_all_of_it_shown_on_demand(
    operated: DaemonProcess, browser: SignedIn
) -> None:
    operated.exec("seq 1 4000", "bash:long")
    page = page_of(browser, "bash:long")
    assert len(page) < 30_000
    assert "Show all" in page
    assert ">2000\n" not in page
    number = page.split('name="number" value="')[1].split('"')[0]
    whole = browser.act("topics/whole", number=number).json()["data"]
    assert "\n2000\n" in whole
    gone = browser.act("topics/whole", number="999999")
    assert gone.status == 422


@pytest.mark.requirement("console.topic.forgotten")
def test_the_exchanges_of_a_topic_are_forgotten_with_it(operated: DaemonProcess, browser: SignedIn) -> None:
    operated.exec('/set {plan} = "swordfish"', "file:over")
    assert "swordfish" in page_of(browser, "file:over")
    operated.request("DELETE", "/sessions/default/file:over", headers={"X-User-Id": "default"})
    page_of(browser, "file:over", lambda it: "swordfish" not in it)


@pytest.mark.requirement("console.topic.hostile")
def test_hostile_texts_are_texts(operated: DaemonProcess, browser: SignedIn) -> None:
    hostile = "<img src=x onerror=alert(1)><script>alert(1)</script>\u202e</li></ol>"
    operated.exec(f"/write evil.md\n# {hostile}\n\n{hostile}\n", "file:evil")
    operated.exec("/open evil.md", "file:evil")
    operated.exec(f"/open {hostile}", "file:evil")
    operated.exec(f"echo '{hostile}'", "bash:evil")
    for topic in ("file:evil", "bash:evil"):
        page = page_of(browser, topic)
        assert "<img" not in page.partition("<main")[2]
        assert "<script>" not in page
        assert "\u202e" not in page
        assert "onerror" in page


def offered(browser: SignedIn, topic: str, text: str) -> list[str]:
    """Return what a text can become."""
    reply = browser.act("topics/complete", user="default", topic=topic, text=text)
    assert reply.status == 200, reply.text
    return [it["value"] for it in reply.json()["data"]]


@pytest.mark.requirement("console.topic.completion")
def test_commands_names_and_paths_are_completed(operated: DaemonProcess, browser: SignedIn) -> None:
    text = "# Plan\n\n## Second part\n\n[@docs Docs](./other.md)\n"
    operated.exec(f"/write deep/plan.md\n{text}", "file:typing")
    operated.exec("/write deep/\u202eevil.md\nx\n", "file:typing")
    operated.exec("/open deep/plan.md", "file:typing")
    assert offered(browser, "file:typing", "/op") == ["/open "]
    assert offered(browser, "file:typing", "/help cl") == ["/help close"]
    assert offered(browser, "file:typing", "/open #se") == ["/open #second-part"]
    assert offered(browser, "file:typing", "/open @d") == ["/open @docs"]
    assert offered(browser, "file:typing", "/open ~/de") == ["/open ~/deep/"]
    assert offered(browser, "file:typing", "/open ~/deep/") == ["/open ~/deep/plan.md"]
    assert offered(browser, "file:typing", "/open /etc/") == []
    assert offered(browser, "file:typing", "/open ../../../") == []
    assert offered(browser, "bash:typing", "ls") == []
    assert offered(browser, "bash:typing", "//int") == ["//interrupt "]
    assert "Second part" in page_of(browser, "file:typing")
