"""`/request` in topics of a real daemon."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.approval.daemons import write_policy
from tests.questions.people import Operator, until

POLICY = """
question_seconds: 0.5
rules:
- {verdict: allow, kind: exec, privileged: false, program: [sh, printf, cat, pwd, tr]}
- {verdict: allow, kind: exec, privileged: false, topic: 'file:free'}
"""


@pytest.fixture(scope="module")
def operated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that asks about some programs only, with an operator who is not attached."""
    folder = tmp_path_factory.mktemp("requesting")
    write_policy(folder / "data", POLICY)
    daemon = DaemonProcess(folder, (), {"XDG_RUNTIME_DIR": ""}, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register("default", daemon.home)
    yield daemon
    daemon.stop()


@pytest.fixture
def request_in(operated: DaemonProcess) -> Callable[..., tuple[str | None, list[str]]]:
    """Send `/request` with arguments; return the code, and the lines of the reply below its label."""

    def send(arguments: str, topic: str = "file:main") -> tuple[str | None, list[str]]:
        slash = "//" if topic.startswith("bash") else "/"
        reply = operated.exec(f"{slash}request {arguments}", topic=topic)
        return reply.head["code"], reply.content.splitlines()[1:]

    return send


Send = Callable[..., tuple[str | None, list[str]]]


@pytest.mark.requirement("approval.agents.command")
@pytest.mark.parametrize("topic", ["file:main", "bash:main", "web:main"])
def test_the_reply_is_that_of_exec(request_in: Send, topic: str) -> None:
    code, lines = request_in(r"--user -- printf '%s\n' a b | tr a-z A-Z", topic)
    assert (code, lines) == (None, ["exit: 0 | cwd: /", "---", "A", "B"])


def test_standard_error_follows_the_output(request_in: Send) -> None:
    _, lines = request_in("""--user sh -c 'echo first >&2; printf out' | sh -c 'echo second >&2; cat'""")
    assert lines[2:] == ["out", "first", "second"]


def test_output_is_shown_without_what_controls_terminals(request_in: Send) -> None:
    assert request_in(r"--user printf '\033[2Jred'")[1][2:] == [r"\x1b[2Jred"]


def test_no_output_is_told(request_in: Send) -> None:
    assert request_in("--user sh -c 'exit 0'")[1][2:] == ["(no output)"]


@pytest.mark.requirement("approval.agents.command")
@pytest.mark.parametrize(("script", "state"), [("exit 3", 3), ("kill -TERM $$", 143)])
def test_an_exit_code_is_an_error_code(request_in: Send, script: str, state: int) -> None:
    code, lines = request_in(f"--user -- sh -c '{script}'")
    assert code == f"EXIT_{state}"
    assert f"exit: {state} | cwd: /" in "\n".join(lines)


def test_the_directory_is_that_of_the_topic_or_absolute(request_in: Send, operated: DaemonProcess) -> None:
    (operated.home / "sub").mkdir(exist_ok=True)
    assert request_in("--cwd sub --user pwd")[1] == [
        f"exit: 0 | cwd: {operated.home}/sub",
        "---",
        os.path.realpath(operated.home / "sub"),
    ]
    assert request_in("--cwd=/usr --user pwd")[1][2:] == ["/usr"]


def test_variables_are_set(request_in: Send) -> None:
    _, lines = request_in("""--user --env LANG=C.UTF-8 --env TZ=Z -- sh -c 'echo "$LANG" "$TZ"'""")
    assert lines[2:] == ["C.UTF-8 Z"]


def test_quotes_are_those_of_the_notation(request_in: Send) -> None:
    _, lines = request_in(r"""--user printf '<%s>\n' 'a | b' '|' "--" '' $'\t'x""")
    assert lines[2:] == ["<a | b>", "<|>", "<-->", "<>", "<\tx>"]


@pytest.mark.requirement("approval.agents.command")
def test_without_an_operator_it_is_denied_with_a_hint(request_in: Send, operated: DaemonProcess) -> None:
    code, lines = request_in("--user -- touch made")
    assert code == "DENIED"
    assert "stringd approve" in "\n".join(lines)


@pytest.mark.requirement("approval.agents.command")
def test_the_answer_of_a_person_is_the_reply(operated: DaemonProcess) -> None:
    with Operator(operated) as operator:
        asked = operator.send("/request --user --reason 'to see' -- touch made")
        question = until(operator.listed)[0]
        assert "to see" in str(question)
        operator.decide(question, False, comment="not today")
        reply = asked.result(20)
        assert reply.head["code"] == "DENIED"
        assert "not today" in reply.content
        asked = operator.send("/request --user -- touch made")
        operator.show(until(operator.listed)[0])
        assert asked.result(20).head["code"] == "APPROVAL_TIMEOUT"
        asked = operator.send("/request --user -- echo long")
        operator.decide(until(operator.listed)[0], True, edit="echo short", comment="shorter")
        assert asked.result(20).content.splitlines()[1:] == [
            "exit: 0 | cwd: /",
            "---",
            "[edited by the person who approved: echo short]",
            "[comment: shorter]",
            "short",
        ]


def test_what_cannot_run_is_an_error(request_in: Send) -> None:
    code, lines = request_in("--user no-such-program", "file:free")
    assert code == "EXEC_FAILED"
    assert "no-such-program" in "\n".join(lines)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "must not be empty"),
        ("--", "must not be empty"),
        ("ls |", "stage 2"),
        ("ls | '' x", "stage 2"),
        ("--resaon x ls", "--reason"),
        ("--env LANG ls", "NAME=value"),
        ("--env PATH=/tmp ls", "'PATH'"),
        ("--env HOME=/tmp ls", "HOME"),
        ("--cwd", "needs a value"),
        ("ls '", "position"),
        ("ls > out.txt", "no shell"),
        ("ls 'a\u202eb'", "forbidden"),
    ],
)
def test_bad_requests_are_refused_before_anything_is_asked(
    request_in: Send, arguments: str, words: str
) -> None:
    code, lines = request_in(arguments)
    assert code == "INVALID_PAYLOAD"
    assert words in "\n".join(lines)


def cancel(daemon: DaemonProcess, topic: str) -> int:
    return daemon.request("POST", "/cancel", {"topic": topic}, {"X-User-Id": "default"}).status


@pytest.mark.requirement("approval.agents.cancel")
def test_it_can_be_cancelled(operated: DaemonProcess, tmp_path: Path) -> None:
    with Operator(operated) as operator:
        running = operator.send(f"/request --user -- sh -c 'echo > {tmp_path}/begun; sleep 60'", "file:other")
        until((tmp_path / "begun").exists)
        assert (
            operated.request("POST", "/cancel", {"topic": "file:other"}, {"X-User-Id": "default"}).status
            == 200
        )
        assert running.result(20).head["code"] == "CANCELLED"
        asking = operator.send("/request --user -- touch made", "file:other")
        question = until(operator.listed)[0]
        cancel(operated, "file:other")
        assert asking.result(20).head["code"] == "CANCELLED"
        operator.expect("closed", id=question["id"])
        log = (operated.data_dir / "audit.jsonl").read_text(encoding="utf-8").splitlines()
        last = json.loads(log[-1])
        assert (last["kind"], last["outcome"], last["by"]) == ("decision", "withdrawn", "nobody")
