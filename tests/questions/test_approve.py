"""`stringd approve` in a real terminal."""

from __future__ import annotations

import signal
import termios
from collections.abc import Iterator
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.cli.terminal import CTRL_C, CTRL_D, Terminal
from tests.questions.people import TOKEN, until
from tests.questions.terminals import APPROVE, Person, approving


@pytest.fixture
def person(operated: DaemonProcess) -> Iterator[Person]:
    with approving(operated) as person:
        yield person


@pytest.mark.requirement("approve.keys")
def test_keys_allow_and_refuse(person: Person) -> None:
    asked = person.is_asked(kind="approve", title="Delete it?", body="All of it.", details={"path": "/tmp/x"})
    shown = person.sees("Allow? ")
    for line in ("┃ Delete it?", "│ All of it.", "• path: /tmp/x", "[asked by] asker", "[topic] file:main"):
        assert line in shown
    person.terminal.type("x")
    assert "Delete" not in person.sees("Allow? ")
    person.terminal.type("y")
    person.sees("Allowed.")
    assert asked.told() == {"value": True, "by": "operator", "through": "stringd approve", "comment": None}
    asked = person.is_asked(kind="approve")
    person.sees("Allow? ")
    person.terminal.type("n")
    person.sees("Refused.")
    assert asked.told()["value"] is False
    asked = person.is_asked(kind="approve", expires=50)
    assert "[time left] 50 s" in person.sees("Allow? ")
    person.terminal.type("c")
    person.sees("Comment: ")
    person.terminal.type("not on Fridays\n")
    person.sees("Refused.")
    assert asked.told()["comment"] == "not on Fridays"


@pytest.mark.requirement("approve.keys")
def test_text_choice_and_secret_are_answered(person: Person) -> None:
    asked = person.is_asked(title="Name?")
    person.sees("Answer (")
    person.terminal.type("Ada\n")
    person.sees("Answered.")
    assert asked.told()["value"] == "Ada"
    asked = person.is_asked(kind="choice", choices=["red", "blue"])
    assert "2) blue" in person.sees("Number (")
    for wrong in ("0", "3", "red"):
        person.terminal.type(f"{wrong}\n")
        person.sees("Number (")
    person.terminal.type("2\n")
    person.sees("Answered.")
    assert asked.told()["value"] == "blue"
    asked = person.is_asked(kind="secret")
    person.sees("(not shown): ")
    person.terminal.type("tulip-98127\n")
    assert "tulip" not in person.sees("Answered.")
    assert asked.told()["value"] == len("tulip-98127")


@pytest.mark.requirement("approve.keys")
def test_long_body_is_truncated_and_shown_in_full_on_demand(person: Person) -> None:
    body = "\n".join(f"line {it}." for it in range(50))
    asked = person.is_asked(kind="approve", body=body, details={"who": "root"})
    shown = person.sees("Allow? ")
    assert "line 11." in shown
    assert "line 12." not in shown
    assert "(38 more lines: ? shows all)" in shown
    # A long body does not hide the details.
    assert "• who: root" in shown
    person.terminal.type("?")
    assert "line 49." in person.sees("Allow? ")
    person.terminal.type("y")
    assert asked.told()["value"] is True


@pytest.mark.requirement("approve.extras")
def test_suggestions_are_edited_and_sent(person: Person) -> None:
    suggestions = {"edit": "rm -r x", "grant": "1 time"}
    asked = person.is_asked(kind="approve", extras=["edit", "grant"], suggestions=suggestions)
    assert "c no with a comment, e yes with edit, g yes with grant, ? show " in person.sees("all: ")
    person.terminal.type("e")
    person.sees("edit: rm -r x")
    # Backspace, Home, to the right, insert; a key that does nothing; Enter.
    person.terminal.type("\x7fé\x1b[H\x1b[C\x1b[C-\x1b[A\x1bOFz\r")
    person.sees("Allowed.")
    assert asked.told()["extras"] == {"edit": "rm- -r éz"}


@pytest.mark.requirement("approve.extras")
def test_editing_can_be_left_and_refused_text_is_kept(person: Person) -> None:
    fields: Any = {"kind": "approve", "extras": ["edit"], "suggestions": {"edit": "some text"}}
    asked = person.is_asked(**fields)
    person.sees("all: ")
    person.terminal.type("e")
    person.sees("edit: some text")
    person.terminal.type("\x1b")
    person.sees("all: ")
    person.terminal.type("e")
    person.sees("edit: some text")
    person.terminal.type(" refused\r")
    assert "Not this text." in person.sees("all: ")
    person.terminal.type("e")
    person.sees("edit: some text refused")
    person.terminal.type("\x15new\r")
    person.sees("Allowed.")
    assert asked.told()["extras"] == {"edit": "new"}


@pytest.mark.requirement("approve.keys")
def test_comment_can_be_left(person: Person) -> None:
    asked = person.is_asked(kind="approve")
    person.sees("Allow? ")
    person.terminal.type("c")
    person.sees("Comment: ")
    person.terminal.type("not like\x1b")
    person.sees("Allow? ")
    person.terminal.type("c")
    person.sees("Comment: ")
    person.terminal.type("never\x07\r")
    person.sees("Refused.")
    assert asked.told()["comment"] == "never"


@pytest.mark.requirement("approve.extras", "approve.told")
def test_closing_elsewhere_ends_editing(person: Person) -> None:
    asked = person.is_asked(kind="approve", extras=["edit"], suggestions={"edit": "text"})
    person.sees("all: ")
    person.terminal.type("e")
    person.sees("edit: text")
    token = {TOKEN: str(person.daemon.operator_token)}
    path = f"/questions/{asked.id}"
    assert person.daemon.request("POST", path, {"answer": False}, token).status == 200
    person.sees("Already answered, by operator through HTTP.")
    assert asked.told()["value"] is False
    asked = person.is_asked(kind="approve")
    person.sees("all: ")
    person.terminal.type("y")
    person.sees("Allowed.")


@pytest.mark.requirement("approve.keys")
def test_width_follows_the_terminal(person: Person) -> None:
    body = "x" * 90
    asked = person.is_asked(kind="approve", body=body)
    person.sees("all: ")
    person.terminal.resize(40, 200)
    person.terminal.type("?")
    assert f"│ {body}" in person.sees("all: ")
    person.terminal.type("n")
    assert asked.told()["value"] is False


@pytest.mark.requirement("approve.flush")
def test_typeahead_is_discarded(person: Person) -> None:
    vanishing = person.is_asked(kind="approve", title="First?")
    person.sees("Allow? ")
    second = person.is_asked(topic="file:b", kind="approve", title="Second?")
    third = person.is_asked(topic="file:c", kind="approve", title="Third?")
    person.daemon.exec("/cancel", "file:main")
    assert "CANCELLED" in vanishing.content()
    person.sees("Second?")
    # This is typed as the answer to the first question.
    person.terminal.type("y")
    person.sees("Allow? ")
    person.terminal.type("n")
    person.sees("Refused.")
    assert second.told()["value"] is False
    person.sees("Third?")
    person.sees("Allow? ")
    assert not third.done()


@pytest.mark.requirement("approve.flush")
def test_what_is_typed_while_it_is_suspended_is_discarded(operated: DaemonProcess) -> None:
    with approving(operated, shell="bash --norc -i") as person:
        asked = person.is_asked(kind="approve")
        person.sees("Allow? ")
        person.terminal.type("\x1a")
        person.sees("Stopped")
        person.terminal.type("fg\ny")

        def is_answered() -> bool:
            person.terminal.type("n")
            return asked.done()

        until(is_answered)
        assert asked.told()["value"] is False


@pytest.mark.requirement("approve.told", "questions.first_wins")
def test_closing_elsewhere_is_shown_even_while_a_line_is_typed(person: Person) -> None:
    asked = person.is_asked(title="Name?")
    person.sees("Answer (")
    person.terminal.type("half an ans")
    other = person.is_asked(topic="file:b", title="Other?")
    person.daemon.exec("/cancel", "file:b")
    assert "CANCELLED" in other.content()
    headers = {"X-Operator-Token": person.daemon.operator_token or ""}
    reply = person.daemon.request(
        "POST", f"/questions/{asked.id}", {"answer": "x", "through": "a page"}, headers
    )
    assert reply.status == 200
    person.sees("Already answered, by operator through a page.")
    asked = person.is_asked(title="Again?")
    person.sees("Answer (")
    person.daemon.exec("/cancel", "file:main")
    person.sees("Withdrawn: its asker was cancelled.")
    asked = person.is_asked(title="Third?")
    person.sees("Answer (")
    person.terminal.type("whole\n")
    assert asked.told()["value"] == "whole"


@pytest.mark.requirement("approve.escapes")
def test_hostile_text_cannot_control_the_terminal(person: Person) -> None:
    hostile = "\x1b[2J\x1b]0;own\x07\u202egnirts\u200b\nAllow? y\r┃ fine"
    person.is_asked(kind="approve", title="T\u202e\u200b", body=hostile, details={"a: b": "c\x9bm"})
    shown = person.sees("Allow? y yes")
    assert "┃ T⟨U+202E⟩⟨U+200B⟩" in shown
    assert "│ ⟨U+001B⟩[2J⟨U+001B⟩]0;own⟨U+0007⟩⟨U+202E⟩gnirts⟨U+200B⟩" in shown
    assert "│ Allow? y⟨U+000D⟩┃ fine" in shown
    assert "• a⟨U+003A⟩ b: c⟨U+009B⟩m" in shown
    assert "\x1b" not in shown


@pytest.mark.requirement("approve.colour")
@pytest.mark.parametrize(
    ("env", "coloured"),
    [("TERM=xterm NO_COLOR=", True), ("TERM=xterm NO_COLOR=1", False), ("TERM=dumb", False)],
)
def test_colour_is_only_used_on_capable_terminals(operated: DaemonProcess, env: str, coloured: bool) -> None:
    with approving(operated, env=env) as person:
        person.is_asked(kind="approve")
        assert ("\x1b[1m" in person.sees("Allow? ")) is coloured


@pytest.mark.requirement("approve.restores", "approve.leaves")
@pytest.mark.parametrize("how", ["^C", "^D", signal.SIGTERM, signal.SIGHUP, "daemon"])
def test_terminal_is_restored_at_any_end_and_the_question_stays_open(
    operated: DaemonProcess, how: str | signal.Signals
) -> None:
    with approving(operated) as person:
        asked = person.is_asked(kind="secret")
        person.sees("(not shown): ")
        modes = termios.tcgetattr(person.terminal._theirs)
        assert not modes[3] & termios.ECHO
        if how == "daemon":
            operated.kill()
            person.sees("\nstringd: the daemon has stopped")
        elif isinstance(how, signal.Signals):
            person.terminal.process.send_signal(how)
        else:
            person.terminal.type(CTRL_C if how == "^C" else CTRL_D)
        code = person.terminal.process.wait(10)
        modes = termios.tcgetattr(person.terminal._theirs)
        assert modes[3] & termios.ECHO
        assert modes[3] & termios.ICANON
        if how == "daemon":
            assert code == 1
            operated.start()
            return
        assert code == {"^C": 130, "^D": 0}.get(str(how), 128 + int(how) if isinstance(how, int) else None)
    assert not asked.done()
    until(lambda: operated.request("GET", "/questions").json()["operator"] == "absent")
    with approving(operated, "--once") as person:
        person.sees("(not shown): ")
        person.terminal.type("s\n")
        assert asked.told()["value"] == 1
        assert person.terminal.process.wait(10) == 0


@pytest.mark.requirement("approve.restores")
@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
def test_shell_continues_on_a_line_of_its_own(person: Person, key: str) -> None:
    person.is_asked(kind="approve")
    person.sees("show all: ")
    person.terminal.type(key)
    person.terminal.process.wait(10)
    person.sees("\n")


@pytest.mark.requirement("operator.token")
def test_wrong_token_is_refused(operated: DaemonProcess) -> None:
    with Terminal(f"env TERM=dumb {APPROVE} --port {operated.port} approve") as terminal:
        terminal.expect("shown by the daemon: ")
        terminal.type("wrong-token\n")
        assert "wrong-token" not in terminal.expect("This is not the token of this daemon's operator.")
        assert terminal.process.wait(10) == 1


@pytest.mark.requirement("operator.none")
def test_daemon_without_an_operator_cannot_be_taken_over(asking: DaemonProcess) -> None:
    with Terminal(f"env TERM=dumb {APPROVE} --port {asking.port} approve") as terminal:
        terminal.expect("the daemon has no operator")
        assert terminal.process.wait(10) == 1


@pytest.mark.requirement("approve.leaves")
def test_question_stays_open_when_the_program_is_killed(operated: DaemonProcess) -> None:
    with approving(operated) as person:
        asked = person.is_asked(kind="approve")
        person.sees("Allow? ")
        person.terminal.process.kill()
        until(lambda: operated.request("GET", "/questions").json()["operator"] == "absent")
        assert not asked.done()
        assert [it["id"] for it in person.listed()] == [asked.id]
