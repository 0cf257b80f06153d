"""The page of all topics, and the way from there into one, in a browser."""

from __future__ import annotations

import threading

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.chromium import Tab, needs_chromium
from tests.console.signing_in import signed_in

pytestmark = [needs_chromium, pytest.mark.timeout(90)]


@pytest.mark.requirement("console.topics.list")
def test_topics_appear_and_change_while_they_are_watched(tab: Tab, operated: DaemonProcess) -> None:
    tab.wait_text("No topics yet", "main")
    operated.exec("/info", "file:notes")
    tab.wait_text("notes", "#topics")
    operated.exec("sleep 60 &", "bash:build")
    operated.exec("echo hello", "bash:build")
    tab.wait_text("build", "#topics")
    tab.wait_text("2 topics", "main")
    tab.press("/")
    tab.type("bash")
    tab.wait("!document.querySelector('#topics').innerText.includes('notes')")
    assert "build" in tab.text("#topics")


@pytest.mark.requirement("console.topics.list")
def test_the_users_of_new_topics_are_those_that_there_are_now(tab: Tab, operated: DaemonProcess) -> None:
    tab.press("n")
    operated.register("zoe")
    tab.wait_text("zoe", "#open-topic")
    tab.run("document.querySelector('#open-topic [name=user]').value = 'zoe'")
    operated.register("yves")
    tab.wait_text("yves", "#open-topic")
    assert tab.run("document.querySelector('#open-topic [name=user]').value") == "zoe"
    for user_id in ("yves", "zoe"):
        operated.request("DELETE", f"/users/{user_id}")


@pytest.mark.requirement("console.topic.keyboard")
def test_a_topic_is_opened_used_and_closed_by_keyboard_alone(tab: Tab, operated: DaemonProcess) -> None:
    tab.press("n", "Tab")
    tab.type("typed")
    tab.run("document.querySelector('#open-topic select').value = 'file'")
    tab.press("Enter")
    tab.wait("location.pathname === '/console/topics/default/file:typed'")
    tab.wait_text("Live", "#connection")
    tab.press("/")
    tab.type('/set {city} = "Paris"')
    tab.press("Enter")
    tab.wait_text("city", ".topic-panel")
    tab.wait("[...document.querySelectorAll('[data-recalled]')].at(-1)?.textContent.includes('city')")
    tab.press("ArrowUp")
    assert tab.run("document.activeElement.value") == '/set {city} = "Paris"'
    tab.run("document.activeElement.select()")
    tab.type("/hel")
    tab.wait_text("/help", "#completions")
    tab.press("ArrowDown", "Enter")
    assert tab.run("document.activeElement.value") == "/help "
    tab.press("Escape", "Enter")
    tab.wait_text("String Commands", "#transcript")
    tab.click(".topic-state .danger")
    tab.press("Enter")
    tab.wait_text("This topic has ended", "#transcript")
    assert "Paris" not in tab.text("main")
    tab.click(".topic-state .main")
    tab.wait_text("/info", "#transcript")


@pytest.mark.requirement("console.topics.running", "console.topic.running")
def test_what_runs_is_shown_with_its_label_and_its_output(tab: Tab, operated: DaemonProcess) -> None:
    sending = threading.Thread(target=operated.exec, args=("echo begun; sleep 2.5; echo over", "bash:slow"))
    sending.start()
    tab.wait_text("echo begun; sleep 2.5", ".running-list")
    tab.click(".running-list a")
    tab.wait_text("Live", "#connection")
    tab.wait_text("running", "#transcript")
    sending.join()
    tab.wait_text("over", "#transcript .output")
    tab.wait("!document.querySelector('#transcript').innerText.includes('running')")


@pytest.mark.requirement("console.topic.whole")
def test_all_of_a_long_reply_takes_the_place_of_its_beginning(tab: Tab, operated: DaemonProcess) -> None:
    operated.exec("seq 1 4000", "bash:long")
    tab.open(f"{operated.url}/console/topics/default/bash:long")
    tab.wait_text("Show all", "#transcript")
    tab.click(".reply-actions button")
    tab.wait_text("\n2000\n", "#transcript")
    operated.exec("echo more", "bash:long")
    tab.wait_text("echo more", "#transcript")
    assert "\n2000\n" in tab.text("#transcript")


@pytest.mark.requirement("console.topics.many")
def test_of_many_topics_the_first_view_shows_some_and_the_rest_follows(
    tab: Tab, operated: DaemonProcess
) -> None:
    for number in range(130):
        operated.exec("/info", f"file:many-{number}")
    tab.wait("document.querySelectorAll('#topics .row').length > 130")
    first = signed_in(operated).get("/console/topics").text
    assert first.count('class="row"') == 120
    tab.open(f"{operated.url}/console/topics")
    tab.wait("document.querySelectorAll('#topics .row').length > 130")
