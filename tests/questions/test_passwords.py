"""Password prompts of programs: a person types the password, which nobody else sees."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.questions.people import Operator, People, until
from tests.questions.terminals import approving

READ = "read -s -p 'Password: ' p; echo; echo ${#p} letters"
AGAIN = 'for i in 1 2 3; do read -s -p "Password $i: " p; echo; [[ $p == right ]] && break; done; echo $i'
GETPASS = "python3 -c 'import getpass; print(len(getpass.getpass()))'"


def question_of(people: People) -> dict[str, Any]:
    found: dict[str, Any] = until(people.listed, "no question")[0]
    return found


def ended(people: People, topic: str = "bash:t") -> str:
    return people.daemon.exec("//wait 20", topic).content


@pytest.fixture
def bash(operated: DaemonProcess) -> Iterator[DaemonProcess]:
    yield operated
    operated.request("DELETE", "/sessions/default/bash:t")


@pytest.mark.requirement("password.asked", "password.typed")
@pytest.mark.parametrize("program", [READ, GETPASS])
def test_answer_of_a_person_only_reaches_the_program(bash: DaemonProcess, program: str) -> None:
    people = People(bash)
    waiting = bash.exec(program, "bash:t")
    assert waiting.content.split("\n")[1].startswith("exit: waiting | ")
    asked = question_of(people)
    assert (asked["kind"], asked["trust"], asked["asked_by"]) == ("secret", "person", "bash")
    assert (asked["user_id"], asked["topic"]) == ("default", "bash:t")
    assert asked["body"] == "Password: "
    assert asked["details"]["program"] == program
    with Operator(bash) as operator:
        assert operator.decide(asked, "tulip-98127").status == 200
        operator.expect("closed", id=asked["id"], by="operator")
    over = ended(people)
    assert "11" in over
    kept = [it.read_bytes().decode("latin-1") for it in bash.data_dir.parent.rglob("*") if it.is_file()]
    seen = [over, bash.stderr(), bash.exec("//info", "bash:t").raw.decode(), *kept]
    assert [it for it in seen if "tulip" in it] == []
    assert people.listed() == []


@pytest.mark.requirement("password.typed", "approve.keys")
def test_person_types_the_password_in_stringd_approve(bash: DaemonProcess) -> None:
    with approving(bash) as person:
        bash.exec(READ, "bash:t")
        shown = person.sees("Answer (not shown): ")
        assert "┃ A program in a shell asks for a secret." in shown
        assert "│ Password:⟨U+0020⟩" in shown
        person.terminal.type("tulip-98127\n")
        assert "tulip" not in person.sees("Answered.")
    assert "11 letters" in ended(People(bash))


@pytest.mark.requirement("password.withdrawn")
@pytest.mark.parametrize(
    "how", ["an answer", '//keys "typed" Enter', "//interrupt", "//kill", "//reset", "//close"]
)
def test_question_is_withdrawn_when_the_program_stops_asking(bash: DaemonProcess, how: str) -> None:
    people = People(bash)
    bash.exec(READ, "bash:t")
    asked = question_of(people)
    with contextlib.suppress(AssertionError):
        bash.exec(how, "bash:t")
    until(lambda: not people.listed(), "the question stays")
    with Operator(bash) as operator:
        late = operator.decide(asked, "tulip-98127")
        assert (late.status, late.json()["error"]) == (409, "QUESTION_CLOSED")
    assert "tulip" not in bash.exec("echo still here", "bash:t").content


@pytest.mark.requirement("password.again")
def test_second_prompt_of_a_program_is_a_new_question(bash: DaemonProcess) -> None:
    people = People(bash)
    bash.exec(AGAIN, "bash:t")
    with Operator(bash) as operator:
        first = question_of(people)
        assert first["body"] == "Password 1: "
        assert operator.decide(first, "wrong").status == 200
        second = until(lambda: [it for it in people.listed() if it["id"] != first["id"]])[0]
        assert second["body"] == "(it asks again)"
        assert operator.decide(second, "right").status == 200
    assert ended(people).endswith("2")
    until(lambda: not people.listed())


@pytest.mark.requirement("password.asked")
def test_polling_causes_one_question_and_visible_input_none(bash: DaemonProcess) -> None:
    people = People(bash)
    bash.exec("read -p 'Name? ' name; echo", "bash:t")
    assert people.listed() == []
    bash.exec("Ada", "bash:t")
    bash.exec(READ, "bash:t")
    asked = question_of(people)
    for _ in range(3):
        assert bash.exec("//wait 0.2", "bash:t").content.split("\n")[1].startswith("exit: waiting")
    assert people.listed() == [asked]
    assert "4 letters" in bash.exec("mine", "bash:t").content


@pytest.mark.requirement("password.withdrawn")
def test_late_answer_is_never_typed_into_a_shell(bash: DaemonProcess) -> None:
    people = People(bash)
    gate = bash.home / "over"
    bash.exec(f"bash -c 'while [[ ! -e {gate} ]]; do read -t 0.2 -s p; done'", "bash:t")
    asked = question_of(people)
    gate.touch()
    with Operator(bash) as operator:
        reply = operator.decide(asked, "touch hacked")
        assert reply.status in {200, 400, 409}
    ended(people)
    bash.exec("true", "bash:t")
    assert not (bash.home / "hacked").exists()


@pytest.mark.requirement("operator.none")
def test_daemon_without_an_operator_asks_no_question(asking: DaemonProcess) -> None:
    people = People(asking)
    assert "exit: waiting" in asking.exec(READ, "bash:t").content
    assert people.listed() == []
    assert "4 letters" in asking.exec("mine", "bash:t").content
