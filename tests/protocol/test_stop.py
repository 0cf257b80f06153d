"""Stopping the daemon by /shutdown and signals, and its effect on commands."""

from __future__ import annotations

import signal
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.protocol.processes import running_with, unique_seconds
from tests.protocol.streams import body_of, replied
from tests.protocol.waits import INTERVAL, eventually, running, waiting
from tests.protocol.wire import LOOPBACK, execute

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import Connect

MANY = 50
LIMIT = 5.0


@pytest.fixture
def daemon(own_daemon: DaemonProcess) -> DaemonProcess:
    """These tests stop their daemon, or look into its process or its data directory."""
    return own_daemon


def ended(daemon: DaemonProcess) -> int:
    return daemon.process.wait(timeout=15)


def refuses(daemon: DaemonProcess) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((LOOPBACK, daemon.port)) != 0


@pytest.mark.requirement(
    "shutdown.reply", "shutdown.exit", "stop.exit", "security.no_auth", "header.user.ignored"
)
@pytest.mark.parametrize("headers", [{}, {"X-User-Id": "nobody"}])
@pytest.mark.parametrize("body", [None, {}, b"\xff{"])
def test_shutdown_answers_and_ends(daemon: DaemonProcess, headers: dict[str, str], body: object) -> None:
    answer = daemon.request("POST", "/shutdown", body, headers=headers)
    assert (answer.status, answer.json()) == (200, {"ok": True, "message": "stringd shutting down"})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert ended(daemon) == 0
    assert refuses(daemon)


@pytest.mark.requirement("stop.exit")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_an_idle_daemon(daemon: DaemonProcess, connect: Connect, number: signal.Signals) -> None:
    connect(daemon)
    daemon.process.send_signal(number)
    assert ended(daemon) == 0
    assert "Traceback" not in daemon.stderr()


@pytest.mark.requirement("stop.exit", "stop.children", "stop.running")
def test_sigterm_ends_many_running_commands(daemon: DaemonProcess, connect: Connect) -> None:
    seconds = unique_seconds()
    clients = [connect(daemon) for _ in range(MANY)]
    for number, client in enumerate(clients):
        client.send(execute(f"/exec sleep {seconds} & sleep {seconds}; wait", topic=f"file:t{number}"))
    eventually(lambda: len(running_with(seconds)) == 2 * MANY, within=30)
    started = time.monotonic()
    daemon.process.send_signal(signal.SIGTERM)
    assert ended(daemon) == 0
    assert time.monotonic() - started < LIMIT
    eventually(lambda: not running_with(seconds), within=2)
    streams = [client.rest() for client in clients]
    assert [stream for stream in streams if b"event: done" not in stream and b"event:" in stream] == []
    assert "Traceback" not in daemon.stderr()


@pytest.mark.requirement("stop.running", "stop.waiting", "stop.exit")
@pytest.mark.parametrize("way", ["signal", "request"])
def test_running_and_waiting_commands_are_answered(probed: DaemonProcess, connect: Connect, way: str) -> None:
    runner, waiter = connect(probed), connect(probed)
    runner.send(execute("/nap 30"))
    running(probed)
    waiter.send(execute("/record waited"))
    waiting(probed, 1)
    if way == "signal":
        probed.process.send_signal(signal.SIGTERM)
    else:
        probed.request("POST", "/shutdown")
    head, content = replied(runner.receive().body)
    assert (head["ok"], head["code"]) == (False, "SHUTTING_DOWN")
    assert body_of(content).startswith("ERROR(SHUTTING_DOWN): ")
    refusal = waiter.receive()
    assert (refusal.status, refusal.json()["error"], set(refusal.json())) == (
        503,
        "SHUTTING_DOWN",
        {"error", "message"},
    )
    assert ended(probed) == 0
    assert not (probed.home / "record.txt").exists()


@pytest.mark.requirement("stop.children", "stop.exit")
@pytest.mark.parametrize(
    "command", ["trap '' TERM HUP INT; sleep {0} & sleep {0}; wait", "(sleep {0} &) ; sleep {0}"]
)
def test_stubborn_children_are_ended_too(daemon: DaemonProcess, connect: Connect, command: str) -> None:
    seconds = unique_seconds()
    connect(daemon).send(execute(f"/exec {command.format(seconds)}"))
    eventually(lambda: len(running_with(seconds)) == 2)
    daemon.process.send_signal(signal.SIGTERM)
    assert ended(daemon) == 0
    eventually(lambda: not running_with(seconds), within=2)


@pytest.mark.requirement("stop.accepting")
def test_connections_are_refused_while_stopping(daemon: DaemonProcess, connect: Connect) -> None:
    seconds = unique_seconds()
    connect(daemon).send(execute(f"/exec trap '' TERM; sleep {seconds}"))
    eventually(lambda: running_with(seconds))
    daemon.process.send_signal(signal.SIGTERM)
    eventually(lambda: refuses(daemon))
    while daemon.process.poll() is None:
        assert refuses(daemon)
        threading.Event().wait(INTERVAL)
    assert ended(daemon) == 0


@pytest.mark.requirement("stop.exit")
def test_second_signal_is_harmless(daemon: DaemonProcess, connect: Connect) -> None:
    seconds = unique_seconds()
    connect(daemon).send(execute(f"/exec sleep {seconds}"))
    eventually(lambda: running_with(seconds))
    for _ in range(2):
        daemon.process.send_signal(signal.SIGTERM)
    assert ended(daemon) == 0
    eventually(lambda: not running_with(seconds), within=2)


@pytest.mark.requirement("stop.exit")
def test_unfinished_request_does_not_delay_stopping(daemon: DaemonProcess, connect: Connect) -> None:
    connect(daemon).send(execute("/info")[:-3])
    assert daemon.request("GET", "/health").status == 200
    started = time.monotonic()
    assert daemon.stop() == 0
    assert time.monotonic() - started < LIMIT
    assert "Traceback" not in daemon.stderr()
