"""Decisions about requests: answers, edits, grants, the operator's program, withdrawal, and nobody there."""

from __future__ import annotations

import http.client
import json
import sys
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess, Events
from tests.questions.people import TOKEN, Operator, People, until

APT: dict[str, Any] = {"pipeline": [["apt", "install", "nginx"]], "session": "agent"}


def request_of(fields: dict[str, Any]) -> str:
    return f"/decide {json.dumps(fields)}"


def decision_of(sent: Future[Events]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sent.result(20).content.partition("\n")[2])
    return found


def decide(operator: Operator, fields: dict[str, Any], **answer: Any) -> dict[str, Any]:
    """Make a request, answer its question, and return the decision."""
    sent = operator.send(request_of(fields))
    (question,) = until(operator.listed)
    assert operator.decide(question, **{"answer": True, **answer}).status == 200
    return decision_of(sent)


@pytest.fixture
def policy(gated: DaemonProcess) -> Path:
    """The file of a policy in which questions are short."""
    path = gated.data_dir / "approval.yaml"
    path.touch(mode=0o600)
    path.write_text("question_seconds: 0.3\n", encoding="utf-8")
    return path


@pytest.mark.requirement("approval.asking.answers")
def test_answer_says_who_gave_it_and_through_what(operator: Operator) -> None:
    approved = decide(operator, APT, through="my phone", comment="go on")
    assert approved.pop("seconds") > 0
    assert approved == {
        "outcome": "approved",
        "by": "operator",
        "through": "my phone",
        "comment": "go on",
        "has_terminal": False,
        "edited": None,
    }
    denied = decide(operator, APT, answer=False, comment="no", through="stringd approve")
    assert (denied["outcome"], denied["comment"], denied["has_terminal"]) == ("denied", "no", True)


@pytest.mark.requirement("approval.asking.display")
def test_question_offers_to_edit_and_to_grant(operator: Operator) -> None:
    sent = operator.send(request_of(APT))
    (question,) = until(operator.listed)
    assert question["suggestions"] == {
        "edit": "apt install nginx",
        "grant": "10 minutes for session: apt install nginx",
    }
    assert (question["body"], question["expires"], question["trust"]) == ("apt install nginx", 60, "person")
    operator.decide(question, False)
    decision_of(sent)
    sent = operator.send(request_of({**APT, "privileged": True}))
    (question,) = until(operator.listed)
    assert list(question["suggestions"]) == ["edit"]
    operator.decide(question, False)
    decision_of(sent)


@pytest.mark.requirement("approval.asking.edit")
def test_edited_command_is_checked_and_takes_the_place_of_the_request(operator: Operator) -> None:
    sent = operator.send(request_of(APT))
    (question,) = until(operator.listed)
    refusals = {
        "apt install >x": "needs to be in '…'",
        "evil": "evil is forbidden",
    }
    for text, reason in refusals.items():
        refused = operator.decide(question, True, edit=text)
        assert (refused.status, refused.json()["error"]) == (400, "INVALID_ANSWER")
        assert reason in refused.json()["message"]
    assert operator.decide(question, False, edit="ls").status == 400
    assert operator.decide(question, True, edit=[["ls"]]).status == 400
    assert operator.decide(question, True, edit="ls", grant="1 time for user: apt").status == 400
    assert operator.decide(question, True, edit="apt install 'nginx light' | cat").status == 200
    edited = decision_of(sent)["edited"]
    assert edited["pipeline"] == [["apt", "install", "nginx light"], ["cat"]]
    assert (edited["id"], edited["session"]) == ("1", "agent")
    assert decide(operator, APT, edit=" apt  install nginx")["edited"] is None


@pytest.mark.requirement("approval.asking.grant.covers", "approval.asking.grant.revoked")
def test_granted_requests_are_approved_without_a_question(operator: Operator) -> None:
    decide(operator, APT, grant="2 times for session: apt install")
    again = {**APT, "pipeline": [["apt", "install", "vim"]]}
    for _ in range(2):
        approved = decision_of(operator.send(request_of(again)))
        assert approved["through"].startswith("grant g")
        assert (approved["outcome"], approved["by"]) == ("approved", "operator")
    assert decide(operator, again, answer=False)["outcome"] == "denied"
    decide(operator, APT, grant="2 minutes for session: apt")
    (listed,) = json.loads(operator.daemon.exec("/grants").content.partition("\n")[2])
    assert operator.daemon.exec(f"/grants {listed['id']}").content.endswith("true")
    assert decide(operator, APT, answer=False)["outcome"] == "denied"


@pytest.mark.requirement("approval.asking.grant.ends")
def test_uses_of_a_grant_are_counted_also_at_once(operator: Operator) -> None:
    decide(operator, APT, grant="3 times for session: apt")
    sent = [operator.send(request_of(APT), f"file:{it}") for it in range(9)]
    questions = until(lambda: len(found := operator.listed()) == 6 and found)
    for question in questions:
        operator.decide(question, False)
    outcomes = sorted(decision_of(it)["outcome"] for it in sent)
    assert outcomes == ["approved"] * 3 + ["denied"] * 6


@pytest.mark.requirement("approval.asking.fail_closed")
def test_without_an_operator_or_a_grant_the_answer_is_no(people: People) -> None:
    denied = decision_of(people.send(request_of(APT)))
    assert (denied["outcome"], denied["by"]) == ("denied", "nobody")
    assert "stringd approve" in denied["comment"]


@pytest.mark.requirement("approval.asking.time")
def test_time_to_answer_starts_when_the_question_is_shown(operator: Operator, policy: Path) -> None:
    first, second = operator.send(request_of(APT), "file:a"), operator.send(request_of(APT), "file:b")
    questions = until(lambda: len(found := operator.listed()) == 2 and found)
    operator.show(questions[0])
    ended = until(lambda: next((it for it in (first, second) if it.done()), None))
    assert decision_of(ended)["outcome"] == "timeout"
    # The other one was not shown to anyone.
    assert [it["id"] for it in operator.listed()] == [questions[1]["id"]]
    operator.decide(questions[1], True)


@pytest.mark.requirement("approval.asking.withdrawn")
def test_asker_that_leaves_withdraws_the_question_everywhere(operator: Operator) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", operator.daemon.port, timeout=20)) as client:
        body = json.dumps({"cmd": request_of(APT), "topic": "file:main"})
        client.request("POST", "/exec", body, {"X-User-Id": "default"})
        (question,) = until(operator.listed)
    closed = operator.expect("closed", id=question["id"])
    assert (closed["by"], bool(closed["reason"])) == (None, True)
    late = operator.decide(question, True)
    assert (late.status, late.json()["error"]) == (409, "QUESTION_CLOSED")
    assert "no longer open" in late.json()["message"]


@pytest.mark.requirement("approval.asking.first_wins")
def test_second_of_two_people_is_told_who_was_first(operator: Operator) -> None:
    with Operator(operator.daemon) as other:
        sent = operator.send(request_of(APT))
        (question,) = until(operator.listed)
        assert operator.decide(question, True, through="phone").status == 200
        late = other.decide(question, False)
        assert late.json()["message"] == "The question was already answered, by operator through phone."
        other.expect("closed", id=question["id"], by="operator", through="phone")
    assert decision_of(sent)["outcome"] == "approved"


@pytest.mark.requirement("approval.asking.moved")
def test_what_leads_elsewhere_than_was_shown_does_not_run(operator: Operator, tmp_path: Path) -> None:
    link = tmp_path / "link"
    for name in ("shown", "other"):
        (tmp_path / name).mkdir()
    link.symlink_to("shown")
    fields = {**APT, "cwd": str(link)}
    sent = operator.send(request_of(fields))
    (question,) = until(operator.listed)
    assert question["details"]["directory"] == f"{link} → {tmp_path}/shown"
    _lead(link, "other")
    operator.decide(question, True, grant="2 times for user: apt")
    moved = decision_of(sent)
    assert (moved["outcome"], moved["by"]) == ("denied", "nobody")
    assert "elsewhere than was shown" in moved["comment"]
    assert decide(operator, fields, grant="2 times for user: apt")["outcome"] == "approved"
    assert decision_of(operator.send(request_of(fields)))["through"].startswith("grant")
    _lead(link, "shown")
    assert decide(operator, fields, answer=False)["outcome"] == "denied"


def _lead(link: Path, target: str) -> None:
    link.unlink()
    link.symlink_to(target)


def write_policy(path: Path, program: str, *arguments: str, seconds: float = 5) -> None:
    command = json.dumps([sys.executable, "-c", program, *arguments])
    path.write_text(f"approver: {command}\nquestion_seconds: {seconds}\n", encoding="utf-8")


@pytest.mark.requirement("approval.asking.program")
def test_program_of_the_operator_answers(people: People, policy: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen.json"
    program = (
        "import sys; open(sys.argv[1], 'w').write(sys.stdin.read());"
        'print(\'{"decision": "approve", "comment": "by a program"}\')'
    )
    write_policy(policy, program, str(seen))
    decision = decision_of(people.send(request_of(APT)))
    assert (decision["outcome"], decision["by"]) == ("approved", "approver")
    assert decision["comment"] == "by a program"
    assert decision["through"].startswith("program python")
    assert not decision["has_terminal"]
    (line,) = seen.read_text(encoding="utf-8").splitlines()
    asked = json.loads(line)
    assert (asked["title"], asked["asked_by"]) == ("Run as you: apt install nginx", "approval")
    write_policy(policy, 'print(\'{"decision": "deny"}\')')
    assert decision_of(people.send(request_of(APT)))["outcome"] == "denied"


@pytest.mark.long
@pytest.mark.requirement("approval.asking.program.no_answer")
@pytest.mark.parametrize(
    "program",
    [
        "print('approve')",
        'print(\'{"decision": "yes"}\')',
        "print('{\"decision\": true}')",
        'print(\'[{"decision": "approve"}]\')',
        'print(\'{"decision": "approve", "comment": 5}\')',
        'print(\'{"decision": "approve", "comment": "%s"}\' % (\'x\' * 5000))',
        'print(\'{"decision": "approve"}\'); raise SystemExit(1)',
        'print(\'{"decision": "approve"}{}\')',
        'print(\'{"decision": "deny", "decision": "approve"}\')',
        'print(\'{"decision": "approve", "edit": "apt update"}\')',
        "print('[' * 100000)",
        "import os; os.write(1, b'x' * 200000)",
        "import os; os.kill(os.getpid(), 9)",
        "pass",
    ],
)
def test_anything_else_is_no_answer(people: People, policy: Path, program: str) -> None:
    write_policy(policy, program, seconds=1.5)
    assert decision_of(people.send(request_of(APT)))["outcome"] == "timeout"


@pytest.mark.requirement("approval.asking.program.no_answer")
def test_missing_program_is_no_answer(people: People, policy: Path) -> None:
    policy.write_text("approver: [/no/such/program]\nquestion_seconds: 0.3\n", encoding="utf-8")
    assert decision_of(people.send(request_of(APT)))["outcome"] == "timeout"


@pytest.mark.requirement("approval.asking.program.killed")
def test_program_is_killed_with_its_question(operator: Operator, policy: Path, tmp_path: Path) -> None:
    ids = tmp_path / "ids"
    program = (
        "import os, subprocess, sys, time; child = subprocess.Popen(['sleep', '600']);"
        "open(sys.argv[1], 'w').write(f'{os.getpid()} {child.pid} '); time.sleep(600)"
    )
    write_policy(policy, program, str(ids), seconds=60)
    sent = operator.send(request_of(APT))
    (question,) = until(operator.listed)
    numbers = until(lambda: ids.exists() and len(found := ids.read_text().split()) == 2 and found)
    assert operator.decide(question, True).status == 200
    assert decision_of(sent)["by"] == "operator"
    until(lambda: not any(_is_running(it) for it in numbers), "the program goes on")


def _is_running(pid: str) -> bool:
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.requirement("approval.asking.grant.revoked")
def test_only_the_operator_revokes_grants(gated: DaemonProcess) -> None:
    assert gated.request("GET", "/approval/grants").json() == {"grants": []}
    for headers in ({}, {TOKEN: "wrong"}):
        refused = gated.request("DELETE", "/approval/grants/g1", headers=headers)
        assert (refused.status, refused.json()["error"]) == (403, "OPERATOR_REQUIRED")
    token = {TOKEN: str(gated.operator_token)}
    assert gated.request("DELETE", "/approval/grants/g1", headers=token).status == 404


@pytest.mark.requirement("approval.asking.gate.long")
def test_request_that_cannot_be_shown_is_denied(operator: Operator) -> None:
    long = {**APT, "pipeline": [["x" * 2_000_000]]}
    denied = decision_of(operator.send(request_of(long)))
    assert (denied["outcome"], denied["by"]) == ("denied", "nobody")
    assert denied["comment"].startswith(
        "The request can't be shown to the operator: body of a question needs"
    )


@pytest.mark.requirement("approval.asking.display")
def test_long_command_is_shown_whole(operator: Operator) -> None:
    word = "x" * 900_000
    sent = operator.send(request_of({**APT, "pipeline": [["echo", word]]}))
    (question,) = until(operator.listed)
    assert question["body"] == f"echo {word}"
    assert question["title"].endswith("more characters")
    assert question["suggestions"] == {}
    operator.decide(question, True)
    assert decision_of(sent)["outcome"] == "approved"
