"""Requests that a person decides about in `stringd approve`, in a real terminal."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from stringd.testing.process import DaemonProcess, Events
from tests.cli.terminal import CTRL_C
from tests.questions.people import until
from tests.questions.terminals import Person, approving

PROMPT = "? show all: "


@pytest.fixture
def person(gated: DaemonProcess) -> Iterator[Person]:
    with approving(gated) as person:
        yield person


def request_of(person: Person, words: str) -> Future[Events]:
    return person.send(f"/request --user --reason 'Say hello' -- {words}")


def content_of(sent: Future[Events]) -> str:
    return sent.result(20).content


@pytest.mark.requirement("approval.asking.terminal")
def test_person_sees_and_approves_what_runs(person: Person) -> None:
    person.terminal.type("yyyy")
    sent = request_of(person, "printf '%s|' 'a b' c")
    shown = person.sees(PROMPT)
    for line in (
        "┃ Run as you: printf '%s|' 'a b' c",
        "• runs as: you, without privileges",
        "• programs: 1. printf → /usr/bin/printf",
        '• reason: "Say hello"',
        "[topic] file:main",
    ):
        assert line in shown, shown
    # Keys that were typed before the question was shown decide nothing.
    assert not sent.done()
    person.terminal.type("y")
    person.sees("Allowed.")
    assert content_of(sent).endswith("a b|c|")


@pytest.mark.requirement("approval.asking.terminal", "approval.asking.edit")
def test_person_edits_the_command(person: Person) -> None:
    sent = request_of(person, "printf one")
    person.sees(PROMPT)
    person.terminal.type("e")
    person.sees("edit: printf one")
    person.terminal.type("\x17'two words'\r")
    person.sees("Allowed.")
    shown = content_of(sent)
    assert shown.endswith("two words")
    assert "edited" in shown


@pytest.mark.requirement("approval.asking.terminal")
def test_grant_lets_further_requests_run(person: Person) -> None:
    sent = request_of(person, "printf one")
    person.sees(PROMPT)
    person.terminal.type("g")
    person.sees("grant: 10 minutes for session: printf one")
    person.terminal.type("\x151 time for user: printf\r")
    person.sees("Allowed.")
    assert content_of(sent).endswith("one")
    assert content_of(request_of(person, "printf two")).endswith("two")
    sent = request_of(person, "printf three")
    person.sees(PROMPT)
    person.terminal.type("n")
    assert "three" not in content_of(sent).partition("\n")[2]


@pytest.mark.requirement("approval.asking.terminal.dies")
@pytest.mark.parametrize("end", ["kill", "hang up", "Ctrl-C"])
def test_terminal_that_dies_approves_nothing(gated: DaemonProcess, end: str) -> None:
    with approving(gated) as gone:
        sent = request_of(gone, "printf one")
        gone.sees(PROMPT)
        if end == "Ctrl-C":
            gone.terminal.type(CTRL_C)
        else:
            gone.terminal.process.send_signal(signal.SIGKILL if end == "kill" else signal.SIGHUP)
        gone.terminal.process.wait(10)
    until(lambda: gated.request("GET", "/questions").json()["operator"] == "absent")
    assert not sent.done()
    with approving(gated) as other:
        other.sees(PROMPT)
        other.terminal.type("y")
        assert content_of(sent).endswith("one")


@pytest.mark.requirement("approval.asking.terminal")
def test_one_of_two_people_decides_and_the_other_is_told(gated: DaemonProcess) -> None:
    with approving(gated) as one, approving(gated) as other:
        sent = request_of(one, "printf one")
        one.sees(PROMPT)
        other.sees(PROMPT)
        one.terminal.type("y")
        other.sees("Already answered, by operator through stringd approve.")
        assert content_of(sent).endswith("one")


@pytest.mark.requirement("approval.asking.withdrawn")
def test_person_is_told_that_the_asker_has_left(person: Person) -> None:
    sent = request_of(person, "printf one")
    person.sees(PROMPT)
    person.daemon.exec("/cancel")
    person.sees("Withdrawn: ")
    assert "CANCELLED" in content_of(sent)
