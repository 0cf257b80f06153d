"""Shells end with their topics, together with all of their processes."""

from __future__ import annotations

import http.client
import json
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.bash.conftest import Topic, answer, marked_processes
from tests.protocol.waits import eventually, session

TOPICS = 100
# A plain child, one in a session of its own, and two orphans of a process that has forked twice.
STAYING = (
    "sleep 4001 & setsid sleep 4002 & (setsid sh -c 'trap \"\" HUP TERM INT; sleep 4003 & sleep 4004' &) ; "
    "nohup sleep 4005 >/dev/null 2>&1 & disown -a; true"
)


@pytest.fixture
def daemon(own_daemon: DaemonProcess) -> DaemonProcess:
    """These tests stop their daemon, or look into its process or its data directory."""
    return own_daemon


def start_staying(daemon: DaemonProcess, name: str = "bash:t") -> None:
    assert Topic(daemon, name)(STAYING).state == "0"
    eventually(lambda: sum("sleep 400" in line for line in shells(daemon).values()) >= 5)


def shells(daemon: DaemonProcess) -> dict[int, str]:
    """Return the processes of a daemon's shells: not the daemon, nor its fork server and supervisors."""
    processes = marked_processes(f"HOME={daemon.home}")
    return {pid: line for pid, line in processes.items() if "stringd.processes" not in line}


def all_of(daemon: DaemonProcess) -> dict[int, str]:
    return marked_processes(str(daemon.home.parent))


def delete_session(daemon: DaemonProcess) -> None:
    assert daemon.request("DELETE", "/sessions/default/bash:t").json()["deleted"]


def delete_user(daemon: DaemonProcess) -> None:
    assert daemon.request("DELETE", "/users/default").json()["deleted"]


def close(daemon: DaemonProcess) -> None:
    assert daemon.exec("//close", "bash:t").content.endswith("Closed: bash:t")


def reset(daemon: DaemonProcess) -> None:
    assert Topic(daemon)("//reset").state == "0"
    assert Topic(daemon)("exit 0").state == "0"


def leave(daemon: DaemonProcess) -> None:
    assert Topic(daemon)("exit 0").state == "0"


def kill_shell(daemon: DaemonProcess) -> None:
    assert Topic(daemon)("kill -9 $$").state == "137"


def kill_supervisor(daemon: DaemonProcess) -> None:
    assert Topic(daemon)("kill -9 $PPID; sleep 100").state == "137"


@pytest.mark.requirement("bash.end")
@pytest.mark.parametrize(
    "end", [delete_session, delete_user, close, reset, leave, kill_shell, kill_supervisor]
)
def test_closed_shell_leaves_no_process(
    start_bash: Callable[..., DaemonProcess], end: Callable[[DaemonProcess], None]
) -> None:
    daemon = start_bash()
    start_staying(daemon)
    end(daemon)
    eventually(lambda: shells(daemon) == {})


@pytest.mark.requirement("bash.end")
@pytest.mark.parametrize("way", ["stop", "kill"])
@pytest.mark.parametrize("busy", [True, False])
def test_stopped_daemon_leaves_no_process(
    start_bash: Callable[..., DaemonProcess], way: str, *, busy: bool
) -> None:
    daemon = start_bash()
    start_staying(daemon, "bash:a")
    start_staying(daemon, "bash:b")
    if busy:
        daemon.exec('//set {_timeout} = "0.2"', "bash:a")
        assert Topic(daemon, "bash:a")("trap '' HUP TERM; sleep 4006").state == "running"
    assert len(all_of(daemon)) > 10
    assert getattr(daemon, way)() in {0, None}
    eventually(lambda: all_of(daemon) == {})


def fork_server_of(daemon: DaemonProcess) -> int:
    """Return the process id of the only child of a daemon."""
    pid = daemon.process.pid
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return int(child)


def test_a_fork_server_that_is_killed_is_replaced(start_bash: Callable[..., DaemonProcess]) -> None:
    daemon = start_bash()
    old, new = Topic(daemon, "bash:old"), Topic(daemon, "bash:new")
    old.says("x=kept")
    os.kill(fork_server_of(daemon), signal.SIGKILL)
    assert old.says("echo $x") == "kept"
    assert new.says("echo new") == "new"
    daemon.stop()
    eventually(lambda: all_of(daemon) == {})


def test_a_fork_server_that_is_killed_with_a_request_is_replaced(
    start_bash: Callable[..., DaemonProcess],
) -> None:
    daemon = start_bash()
    Topic(daemon, "bash:old").says("x=kept")
    fork_server = fork_server_of(daemon)
    os.kill(fork_server, signal.SIGSTOP)
    with ThreadPoolExecutor() as clients:
        said = clients.submit(Topic(daemon, "bash:new").says, "echo new")
        eventually(lambda: (session(daemon, "bash:new") or {}).get("executing"))
        os.kill(fork_server, signal.SIGKILL)
        assert said.result(20) == "new"


@pytest.mark.long
@pytest.mark.requirement("bash.many")
def test_many_topics_at_once(start_bash: Callable[..., DaemonProcess]) -> None:
    daemon = start_bash()

    def use(number: int) -> list[str]:
        topic = Topic(daemon, f"bash:t{number}")
        return [
            topic(f"x={number}; cat").state,
            topic("hello").output,
            topic("//keys ^D").state,
            topic.says("echo $x"),
        ]

    with ThreadPoolExecutor(TOPICS) as pool:
        found = list(pool.map(use, range(TOPICS)))
    assert found == [["waiting", "hello", "0", str(number)] for number in range(TOPICS)]
    daemon.stop()
    eventually(lambda: all_of(daemon) == {})


@pytest.mark.requirement("bash.wait")
def test_disconnected_client_does_not_end_the_program(shared: DaemonProcess) -> None:
    topic = Topic(shared, "bash:patient")
    gate = topic.gate()
    connection = http.client.HTTPConnection("127.0.0.1", shared.port, timeout=0.3)
    body = json.dumps({"cmd": f"{gate.wait}; echo late; (exit 6)", "topic": topic.name})
    connection.request("POST", "/exec", body, {"X-User-Id": "default"})
    eventually(lambda: "program: until" in topic.events("//info").content)
    with pytest.raises(TimeoutError):
        connection.getresponse().read()
    connection.close()
    refused = topic.events("echo not its input")
    assert refused.head["code"] == "CONFLICT"
    gate.open()
    it = topic("//wait")
    assert (it.state, it.output) == ("6", "late")
    assert topic.says("echo usable") == "usable"


def test_session_deleted_while_a_program_runs(start_bash: Callable[..., DaemonProcess]) -> None:
    daemon = start_bash()
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(daemon.exec("sleep 4007", "bash:t").content))
    thread.start()
    eventually(lambda: any("sleep 4007" in line for line in shells(daemon).values()))
    delete_session(daemon)
    thread.join(10)
    assert "ERROR(SESSION_CLOSED)" in found[0]
    eventually(lambda: shells(daemon) == {})
    assert answer(daemon.exec("echo anew", "bash:t")).output == "anew"
