"""Pipelines of a real daemon: many at once, and none that survives it."""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.approval.daemons import ALLOW_ALL, connect, output, request, write_policy
from tests.approval.requests import line
from tests.protocol.processes import running_with, unique_seconds
from tests.protocol.waits import eventually

MANY = 64


@pytest.fixture
def allowing(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> DaemonProcess:
    write_policy(tmp_path / "data", ALLOW_ALL)
    return start_daemon(data_dir=tmp_path / "data")


@pytest.mark.requirement("approval.execution.no_survivor")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_survives_the_daemon(allowing: DaemonProcess, number: signal.Signals) -> None:
    seconds = unique_seconds()
    stubborn = f"trap '' TERM HUP INT; setsid --wait sleep {seconds} & sleep {seconds}; sleep {seconds}"
    with connect(allowing) as client:
        client.sendall(line(["sh", "-c", stubborn], ["sleep", seconds], privileged=False))
        eventually(lambda: len(running_with(seconds)) >= 3)
        assert allowing.process is not None
        allowing.process.send_signal(number)
        allowing.process.wait(20)
    eventually(lambda: not running_with(seconds))


@pytest.mark.requirement("approval.execution.drained")
def test_as_many_requests_as_there_are_connections_run_at_once(allowing: DaemonProcess) -> None:
    def echoed(number: int) -> bytes:
        return output(request(allowing, ["echo", str(number)], ["cat"]))

    with ThreadPoolExecutor(MANY) as threads:
        assert list(threads.map(echoed, range(MANY))) == [f"{number}\n".encode() for number in range(MANY)]


@pytest.mark.requirement("approval.execution.truncated", "approval.execution.time")
def test_large_output_arrives_through_the_socket(allowing: DaemonProcess) -> None:
    reply = request(allowing, ["head", "-c", "20000000", "/dev/zero"])
    assert (output(reply), reply["stdout_truncated"]) == (bytes(16_777_216), True)
    write_policy(allowing.data_dir, f"{ALLOW_ALL}\nexec_seconds: 1")
    late = request(allowing, ["sh", "-c", "echo begun; sleep 30"])
    assert late["status"] == "error"
    assert "timed out" in late["message"]
