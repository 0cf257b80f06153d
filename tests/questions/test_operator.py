"""Questions to a person: refused without an operator, answered only with the token, never leaked."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from stringd.processes.proc import resident_memory
from stringd.testing.process import DaemonProcess
from tests.questions.conftest import PLUGIN
from tests.questions.people import TOKEN, Operator, People, until

PERSON: dict[str, Any] = {"trust": "person"}
NO_OPERATOR = (
    "ERROR(OPERATOR_REQUIRED): This daemon has no operator: it was started neither in a terminal nor by"
    " `stringd approve`."
)


def refused(people: People, **fields: Any) -> list[str]:
    """Return the reply to a command whose question is refused."""
    with pytest.raises(AssertionError) as told:
        people.ask(**PERSON, **fields)
    return str(told.value).split("\n")[1:3]


@pytest.mark.requirement("operator.none")
def test_question_to_a_person_is_refused_without_an_operator(people: People) -> None:
    assert refused(people, waits_for_operator=True) == [
        NO_OPERATOR,
        "To start one with an operator: `stringd shutdown`, then `stringd approve` in your own terminal.",
    ]
    assert people.daemon.request("GET", "/questions").json() == {"questions": [], "operator": "none"}
    for token in ("", "x", "None", "a" * 43):
        stream = people.daemon.request("GET", "/questions/stream", None, {TOKEN: token})
        assert (stream.status, stream.json()["error"]) == (403, "OPERATOR_REQUIRED")


@pytest.mark.requirement("operator.absent")
def test_question_waits_for_a_detached_operator_only_on_demand(operated: DaemonProcess) -> None:
    people = People(operated)
    assert refused(people)[0] == "ERROR(OPERATOR_REQUIRED): No operator is attached."
    patient = people.ask(**PERSON, waits_for_operator=True, expires=0.2)
    assert patient.question["expires_at"] is None
    with Operator(operated) as operator:
        operator.expect("question", id=patient.id)
        assert operated.request("GET", "/questions").json()["operator"] == "attached"
        assert operator.decide(patient.question, "here I am").status == 200
    assert patient.told() == {"value": "here I am", "by": "operator", "through": "HTTP", "comment": None}
    until(lambda: operated.request("GET", "/questions").json()["operator"] == "absent")
    assert refused(people)


@pytest.mark.requirement("operator.token")
def test_answer_for_a_person_requires_the_token(operator: Operator) -> None:
    asked = operator.ask(**PERSON, kind="approve")
    daemon, path = operator.daemon, f"/questions/{asked.id}"
    as_agent = operator.answer(asked.question, True)
    assert (as_agent.status, as_agent.json()["error"]) == (403, "OPERATOR_REQUIRED")
    wrong = [f"{operator.token}x", operator.token.swapcase() if operator.token else "", "é"]
    for token in wrong:
        reply = daemon.request("POST", path, {"answer": True}, {TOKEN: token, "X-User-Id": "default"})
        assert (reply.status, reply.json()["error"]) == (403, "OPERATOR_REQUIRED")
        assert daemon.request("POST", f"{path}/shown", None, {TOKEN: token}).status == 403
    typed = daemon.exec(f"/answer {asked.id} yes", "file:b")
    assert typed.head["code"] == "OPERATOR_REQUIRED"
    assert daemon.exec("/answer yes", "file:b").head["code"] == "OPERATOR_REQUIRED"
    assert not asked.done()
    assert operator.decide(asked.question, False, comment="no").status == 200
    assert asked.told() == {"value": False, "by": "operator", "through": "HTTP", "comment": "no"}
    operator.expect("closed", id=asked.id, by="operator")


@pytest.mark.requirement("operator.token")
def test_operator_may_also_answer_questions_to_anyone(operator: Operator) -> None:
    asked = operator.ask()
    assert operator.decide(asked.question, "by the operator").status == 200
    assert asked.told()["by"] == "operator"


@pytest.mark.requirement("operator.shown")
def test_time_to_answer_starts_when_the_question_is_shown(operator: Operator) -> None:
    asked = operator.ask(**PERSON, expires=0.5)
    assert asked.question["expires_at"] is None
    operator.ask(topic="file:beside", **PERSON)
    assert not asked.done()
    assert operator.show(asked.question).json() == {"id": asked.id, "shown": True}
    assert asked.content() == "ERROR(QUESTION_EXPIRED): Nobody answered within 0.5 s."
    operator.expect("closed", id=asked.id, reason="it has expired")


@pytest.mark.requirement("operator.shown")
def test_time_to_answer_starts_when_the_last_operator_detaches(operated: DaemonProcess) -> None:
    with Operator(operated) as operator:
        asked = operator.ask(**PERSON, expires=0.3)
        with Operator(operated):
            pass
        assert not asked.done()
    assert asked.content() == "ERROR(QUESTION_EXPIRED): Nobody answered within 0.3 s."


@pytest.mark.requirement("operator.stream")
def test_every_stream_reports_every_change(operated: DaemonProcess) -> None:
    people = People(operated)
    before = people.ask(topic="file:a")
    with Operator(operated) as first, Operator(operated, "") as stranger:
        assert [first.events("ready"), stranger.events("ready")] == [
            [{"operator": True}],
            [{"operator": False}],
        ]
        first.expect("question", id=before.id, title="What?")
        after = people.ask(topic="file:b")
        assert people.answer(after.question, "x", through="somewhere").status == 200
        assert operated.exec("/cancel", "file:a").head["ok"]
        for watcher in (first, stranger):
            watcher.expect("question", id=after.id)
            watcher.expect("closed", id=after.id, by="default", through="somewhere", reason=None)
            watcher.expect("closed", id=before.id, by=None, reason="its asker was cancelled")


@pytest.mark.requirement("operator.stream", "questions.bounds")
def test_streams_that_are_never_read_do_not_block_others(operator: Operator) -> None:
    daemon = operator.daemon
    request = b"GET /questions/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
    body = json.dumps({"count": 50, "body": "x" * 20_000})
    with ExitStack() as opened:
        for _ in range(20):
            deaf = opened.enter_context(socket.create_connection(("127.0.0.1", daemon.port)))
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.sendall(request)
        for number in range(3):
            daemon.register(f"u{number}")
            assert daemon.exec(f"/detach {body}", user=f"u{number}").head["ok"]
            until(lambda: len(operator.listed()) == 50)
            assert daemon.request("DELETE", f"/users/u{number}").json()["deleted"]
            until(lambda: operator.listed() == [])
        last = operator.ask()
        operator.expect("question", id=last.id)
        assert operator.decide(last.question, "x").status == 200
        operator.expect("closed", id=last.id)
        assert resident_memory(daemon.process.pid) < 400 * 1024 * 1024
    assert last.told()["value"] == "x"


@pytest.mark.requirement("operator.secret_token")
def test_token_is_in_no_file_environment_log_or_reply(operator: Operator) -> None:
    daemon, token = operator.daemon, operator.token or ""
    assert len(token) == 43
    asked = operator.ask(**PERSON, kind="secret")
    assert operator.decide(asked.question, "x").status == 200
    replies = [
        operator.raw.decode(),
        daemon.request("GET", "/questions").text,
        daemon.request("GET", "/status").text,
        daemon.exec("/exec env; cat /proc/$PPID/environ /proc/$PPID/cmdline", "file:b").raw.decode(),
        daemon.stderr(),
    ]
    files = [it.read_bytes().decode("latin-1") for it in daemon.data_dir.parent.rglob("*") if it.is_file()]
    assert [it for it in (*replies, *files) if token in it] == []


@pytest.mark.requirement("operator.new_life")
def test_token_is_invalid_after_a_restart(start_daemon: Callable[..., DaemonProcess]) -> None:
    daemon = start_daemon("--plugins", PLUGIN, operator=True)
    old = daemon.operator_token or ""
    daemon.restart()
    assert daemon.operator_token not in {None, old}
    assert daemon.request("GET", "/questions/stream", None, {TOKEN: old}).status == 403


@pytest.mark.requirement("operator.handed_over")
@pytest.mark.parametrize("number", ["1", "x", "99"])
def test_token_is_only_written_to_a_socket(tmp_path: Path, number: str) -> None:
    command = [
        sys.executable,
        "-m",
        "stringd",
        "--port",
        "0",
        "--data-dir",
        str(tmp_path),
        "--operator-fd",
        number,
    ]
    ended = subprocess.run(command, capture_output=True, timeout=30, check=False, cwd=tmp_path)
    assert ended.returncode in {1, 2}
    assert ended.stdout == b""
    assert b"descriptor" in ended.stderr


# Without CAP_SYS_PTRACE, which allows root to inspect all processes.
BLIND = """
import ctypes, os, sys
header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
libc = ctypes.CDLL(None)
libc.capget(header, data)
data[0] &= ~(1 << 19)
data[1] &= ~(1 << 19)
libc.capset(header, data)
"""
PEEK = """
for name in ("mem", "fd/0"):
    try:
        os.close(os.open(f"/proc/{os.getppid()}/{name}", os.O_RDONLY))
        print("open")
    except PermissionError:
        print("closed")
"""
PRIVATE = f"""
import subprocess
from stringd.processes.tree import forbid_memory_access
if sys.argv[1] == "private":
    forbid_memory_access()
subprocess.run([sys.executable, "-I", "-S", "-c", {BLIND + PEEK!r}], stdin=subprocess.DEVNULL)
own = [os.listdir("/proc/self/fd"), os.readlink("/proc/self/cwd"), open("/proc/self/statm").read()]
print(all(own))
"""


@pytest.mark.requirement("operator.not_dumpable")
@pytest.mark.parametrize(("how", "told"), [("usual", "open"), ("private", "closed")])
def test_memory_is_protected_from_processes_of_the_same_user(how: str, told: str) -> None:
    command = [sys.executable, "-c", BLIND + PRIVATE, how]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=30, check=True)
    assert ran.stdout.split() == [told, told, "True"]


@pytest.mark.requirement("operator.not_dumpable")
def test_daemon_with_an_operator_still_runs_commands(operated: DaemonProcess) -> None:
    assert operated.exec("read -p 'Name? ' name; echo $name", "bash:b").content.endswith("Name? ")
    assert operated.exec("Ada", "bash:b").content.endswith("Ada")
    assert operated.exec("/exec echo $((6*7))", "file:b").content.endswith("42")
    os.kill(operated.process.pid, signal.SIGCHLD)
    assert operated.request("GET", "/health").status == 200


@pytest.mark.requirement("questions.ask", "operator.token")
def test_interceptor_lets_a_person_approve_a_command(operator: Operator) -> None:
    allowed = operator.send("/guarded", "file:b", request_id="r1")
    asked = until(operator.listed)[0]
    assert (asked["topic"], asked["request_id"], asked["title"]) == ("file:b", "r1", "Run it?")
    assert operator.decide(asked, True).status == 200
    assert allowed.result(20).content.endswith("\nit ran")
    denied = operator.send("/guarded", "file:b")
    assert operator.decide(until(operator.listed)[0], False, comment="not now").status == 200
    assert denied.result(20).content.endswith("\nERROR(DENIED): not now")


@pytest.mark.requirement("operator.none")
def test_interceptor_fails_closed_without_an_operator(asking: DaemonProcess) -> None:
    refusal = asking.exec("/guarded", "file:b")
    assert refusal.head["code"] == "OPERATOR_REQUIRED"
    assert "it ran" not in refusal.content
