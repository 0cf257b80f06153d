"""The socket of a real daemon: what clients send to it, where it is, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stringd.approval import request as send_request
from stringd.testing.process import DaemonProcess
from tests.approval.daemons import ALLOW_ALL, connect, entries, output, request, write_policy
from tests.approval.listening.fake_broker import reply_of
from tests.approval.requests import fields, line, stamp
from tests.questions.people import Operator, until

Start = Callable[..., DaemonProcess]
EXAMPLES = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@pytest.fixture(scope="module")
def allowing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that runs every request that it accepts."""
    folder = tmp_path_factory.mktemp("allowing")
    write_policy(folder / "data", ALLOW_ALL)
    daemon = DaemonProcess(folder, (), {}, port=0, data_dir=None)
    daemon.start()
    daemon.home.mkdir()
    yield daemon
    assert daemon.stop() == 0


@pytest.fixture
def made(allowing: DaemonProcess) -> Iterator[Path]:
    """A file that no refused request makes."""
    path = allowing.home / "made"
    yield path
    path.unlink(missing_ok=True)


def sent(daemon: DaemonProcess, data: bytes) -> dict[str, Any]:
    """Send bytes and half-close; return the reply."""
    with connect(daemon) as client:
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        return reply_of(client)


@pytest.mark.requirement("approval.exchange.hostile")
@EXAMPLES
@given(st.binary(max_size=300) | JSON.map(lambda it: json.dumps(it).encode() + b"\n"))
def test_arbitrary_data_runs_nothing(allowing: DaemonProcess, data: bytes) -> None:
    reply = sent(allowing, data)
    assert (reply == {}) is (data == b"")
    assert reply.get("status", "error") == "error"
    assert sent(allowing, b'{"action":"ping"}\n')["message"] == "pong"
    assert not (allowing.data_dir / "audit.jsonl").exists() or "start" not in kinds(allowing)


@pytest.mark.requirement("approval.exchange.hostile")
@EXAMPLES
@given(
    st.sampled_from(["id", "host", "session", "time", "env", "privileged", "forward_agent", "action", "cwd"]),
    JSON,
)
def test_a_field_that_is_wrong_lets_nothing_run(
    allowing: DaemonProcess, made: Path, name: str, value: object
) -> None:
    whole = fields(["touch", str(made)], **{"privileged": False, name: value})
    reply = sent(allowing, json.dumps(whole).encode() + b"\n")
    assert reply["status"] in {"ok", "error"}
    assert made.exists() is (reply["status"] == "ok" and "stages" in reply)
    made.unlink(missing_ok=True)


def kinds(daemon: DaemonProcess) -> set[str]:
    return {it["kind"] for it in entries(daemon)}


@pytest.mark.parametrize(
    "more",
    [
        {"privileged": "false"},
        {"privileged": 0},
        {"privileged": None},
        {"forward_agent": True, "privileged": ...},
        {"time": stamp(time.time() - 600)},
        {"time": ...},
        {"env": {"LD_PRELOAD": "x"}},
        {"reason": "\u202e"},
    ],
)
def test_what_the_protocol_refuses_is_not_run(
    allowing: DaemonProcess, made: Path, more: dict[str, Any]
) -> None:
    reply = request(allowing, ["touch", str(made)], **more)
    assert reply["status"] == "error"
    assert not made.exists()


def test_a_field_given_twice_runs_nothing(allowing: DaemonProcess, made: Path) -> None:
    whole = line(["touch", str(made)], privileged=False)
    reply = sent(allowing, b'{"privileged":true,' + whole[1:])
    assert "duplicate" in reply["message"]
    assert not made.exists()


def test_an_empty_stage_runs_nothing(allowing: DaemonProcess, made: Path) -> None:
    assert "stage 2" in request(allowing, ["touch", str(made)], [])["message"]
    assert not made.exists()


@pytest.mark.requirement("approval.replay.once")
def test_of_twelve_requests_with_one_id_one_runs(allowing: DaemonProcess, made: Path) -> None:
    with ThreadPoolExecutor(12) as pool:
        asked = [
            pool.submit(request, allowing, ["sh", "-c", f"echo ran >> {made}"], id="same") for _ in range(12)
        ]
        replies = [it.result(60) for it in asked]
    assert sorted(it["status"] for it in replies) == ["error"] * 11 + ["ok"]
    assert sum("duplicate" in it.get("message", "") for it in replies) == 11
    assert made.read_text(encoding="utf-8") == "ran\n"


@pytest.mark.requirement("approval.request.ping", "approval.request.stop")
def test_a_ping_is_answered_and_stop_is_not(allowing: DaemonProcess) -> None:
    assert sent(allowing, b'{"action":"stop","id":"s"}\n')["status"] == "error"
    assert sent(allowing, b'{"action":"ping","id":"p"}\n') == {"id": "p", "status": "ok", "message": "pong"}
    assert allowing.request("GET", "/questions").json()["questions"] == []


def test_refused_requests_leave_their_ids_unused(allowing: DaemonProcess) -> None:
    assert request(allowing, ["true"], id="kept", env={"PATH": ""})["status"] == "error"
    assert request(allowing, ["true"], id="kept", time="never")["status"] == "error"
    assert request(allowing, ["true"], id="kept")["status"] == "ok"


def test_the_subcommand_finds_the_socket_by_the_data_directory(allowing: DaemonProcess) -> None:
    command = [sys.executable, "-m", "stringd", "--data-dir", str(allowing.data_dir)]
    words = ["request", "--no-privilege", "--", "sh", "-c", "echo out; echo err >&2; exit 4", "|", "cat"]
    env = {name: it for name, it in os.environ.items() if name != "XDG_RUNTIME_DIR"}
    done = subprocess.run([*command, *words], capture_output=True, timeout=60, check=False, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"out\n", b"err\n")


@pytest.mark.parametrize("port", [True, False])
def test_clients_ask_the_daemon_on_the_port_for_the_socket(
    allowing: DaemonProcess, tmp_path: Path, port: bool
) -> None:
    number = allowing.port if port else 1
    kept = {"PATH", "HOME", "LANG"}
    env = {name: it for name, it in os.environ.items() if name in kept} | {"STRINGD_PORT": str(number)}
    command = [sys.executable, "-m", "stringd", "request", "--no-privilege", "--", "echo", "out"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False, env=env, cwd=tmp_path)
    expected = (0, b"out\n") if port else (125, b"")
    assert (done.returncode, done.stdout) == expected, done.stderr


@pytest.mark.requirement("approval.socket.place", "approval.socket.private", "approval.socket.removed")
def test_the_runtime_directory_has_the_socket(start_daemon: Start, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    daemon = start_daemon(env={"XDG_RUNTIME_DIR": str(tmp_path / "run")})
    path = tmp_path / "run" / "stringd" / "approval.sock"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert not (daemon.data_dir / "approval.sock").exists()
    assert send_request([["true"]], path=path, privileged=False).status == "denied"
    assert daemon.stop() == 0
    assert list(path.parent.iterdir()) == []


@pytest.mark.requirement("approval.socket.dead")
def test_a_killed_daemon_leaves_a_socket_that_the_next_one_replaces(
    start_daemon: Start, tmp_path: Path
) -> None:
    path = tmp_path / "a.sock"
    daemon = start_daemon("--approval-socket", str(path))
    daemon.kill()
    assert path.is_socket()
    start_daemon("--approval-socket", str(path))
    assert send_request([["true"]], path=path, privileged=False).status == "denied"


@pytest.mark.requirement("approval.socket.foreign")
def test_a_file_in_the_way_ends_the_daemon(start_daemon: Start, tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    path.write_text("mine", encoding="utf-8")
    daemon = start_daemon("--approval-socket", str(path), ready=False)
    assert daemon.process.wait(30) == 1
    assert "not a socket" in daemon.stderr()
    assert "Traceback" not in daemon.stderr()
    assert "listening on" not in daemon.stderr()
    assert path.read_text(encoding="utf-8") == "mine"


@pytest.mark.requirement("approval.exchange.shutdown")
def test_requests_end_with_the_daemon(start_daemon: Start, tmp_path: Path) -> None:
    write_policy(tmp_path / "data", ALLOW_ALL)
    daemon = start_daemon(data_dir=tmp_path / "data")
    with connect(daemon) as running, connect(daemon) as idle:
        running.sendall(line(["sh", "-c", f"echo > {tmp_path}/begun; sleep 600"], privileged=False, id="r"))
        until((tmp_path / "begun").exists)
        daemon.process.send_signal(signal.SIGTERM)
        reply = reply_of(running)
        assert (reply["id"], reply["status"]) == ("r", "error")
        assert reply_of(idle) == {}
        assert daemon.process.wait(10) == 0


@pytest.fixture
def operator(start_daemon: Start, tmp_path: Path) -> Iterator[Operator]:
    """An operator who is attached to a daemon that asks about everything."""
    with Operator(start_daemon(operator=True, data_dir=tmp_path / "data")) as attached:
        yield attached


@pytest.mark.requirement("approval.exchange.hangup")
def test_a_question_is_withdrawn_when_its_asker_hangs_up(operator: Operator, tmp_path: Path) -> None:
    with connect(operator.daemon) as client:
        client.sendall(line(["touch", str(tmp_path / "made")], privileged=False))
        question = until(operator.listed)[0]
    operator.expect("closed", id=question["id"])
    answer = operator.decide(question, True)
    assert answer.status == 409
    assert not (tmp_path / "made").exists()


@pytest.mark.requirement("approval.exchange.half_close", "approval.exchange.hangup")
def test_a_question_outlives_a_half_close(operator: Operator) -> None:
    with connect(operator.daemon) as client:
        client.sendall(line(["echo", "hi"], privileged=False))
        client.shutdown(socket.SHUT_WR)
        question = until(operator.listed)[0]
        assert operator.decide(question, True).status == 200
        assert output(reply_of(client)) == b"hi\n"


@pytest.mark.long
@pytest.mark.requirement("approval.request.recent")
def test_a_time_is_judged_on_arrival_only(operator: Operator) -> None:
    with connect(operator.daemon) as client:
        sent_at = time.monotonic()
        client.sendall(line(["echo", "hi"], privileged=False, time=stamp(time.time() - 55)))
        question = until(operator.listed)[0]
        threading.Event().wait(max(0.0, 6 - (time.monotonic() - sent_at)))
        operator.decide(question, True)
        assert output(reply_of(client)) == b"hi\n"


def test_hanging_up_after_the_decision_kills_nothing(operator: Operator, tmp_path: Path) -> None:
    script = (
        f"echo > {tmp_path}/begun; while [ ! -e {tmp_path}/go ]; do sleep 0.05; done; echo > {tmp_path}/end"
    )
    with connect(operator.daemon) as client:
        client.sendall(line(["sh", "-c", script], privileged=False, cwd=str(tmp_path)))
        operator.decide(until(operator.listed)[0], True)
        until((tmp_path / "begun").exists)
    (tmp_path / "go").touch()
    until((tmp_path / "end").exists)
