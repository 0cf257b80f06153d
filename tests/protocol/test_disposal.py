"""Sessions that are closed while commands run and wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.processes import running_with, unique_seconds
from tests.protocol.streams import body_of, replied
from tests.protocol.waits import eventually, recorded, running, session, waiting
from tests.protocol.wire import execute

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import Connect
    from tests.protocol.wire import Answer, Connection

WAYS = ["session", "user", "home"]
REMOVED = {
    "session": {"user_id": "default", "topic": "file:main", "deleted": True},
    "user": {"user_id": "default", "deleted": True},
}


def dispose(daemon: DaemonProcess, way: str) -> None:
    if way == "home":
        body = {"id": "default", "home": str(daemon.home / "moved")}
        assert daemon.request("POST", "/users", body).json()["created"] is False
    else:
        path = "/users/default" if way == "user" else "/sessions/default/file:main"
        assert daemon.request("DELETE", path).json() == REMOVED[way]


def busy(daemon: DaemonProcess, connect: Connect, cmd: str) -> tuple[Connection, list[Connection]]:
    """The client whose command runs, and three whose commands wait."""
    clients = [connect(daemon) for _ in range(4)]
    clients[0].send(execute(cmd))
    running(daemon)
    for count, client in enumerate(clients[1:], start=1):
        client.send(execute("/record waited"))
        waiting(daemon, count)
    return clients[0], clients[1:]


def assert_closed(answer: Answer) -> None:
    error: dict[str, Any] = answer.json()
    assert (answer.status, set(error), error["error"]) == (410, {"error", "message"}, "SESSION_CLOSED")
    assert isinstance(error["message"], str)
    assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.requirement("session.closed.waiting", "error.code", "users.home_change", "users.delete.state")
@pytest.mark.parametrize("way", WAYS)
def test_waiting_commands_are_410_and_never_run(probed: DaemonProcess, connect: Connect, way: str) -> None:
    _, waiters = busy(probed, connect, "/nap 30")
    dispose(probed, way)
    for client in waiters:
        assert_closed(client.receive())
    assert session(probed) is None
    assert recorded(probed) == []


@pytest.mark.requirement("session.closed.running", "sessions.delete.state", "exec.done")
@pytest.mark.parametrize("way", WAYS)
def test_running_command_ends_with_a_complete_stream(
    probed: DaemonProcess, connect: Connect, way: str
) -> None:
    seconds = unique_seconds()
    runner, _ = busy(probed, connect, f"/exec sleep {seconds} & sleep {seconds}; wait")
    eventually(lambda: len(running_with(seconds)) == 2)
    dispose(probed, way)
    head, content = replied(runner.receive().body)
    assert (head["ok"], head["code"]) == (False, "SESSION_CLOSED")
    assert body_of(content).startswith("ERROR(SESSION_CLOSED): ")
    eventually(lambda: not running_with(seconds))


@pytest.mark.requirement("sessions.delete.state", "session.closed.waiting")
def test_closed_topic_is_usable_at_once(probed: DaemonProcess, connect: Connect) -> None:
    busy(probed, connect, "/nap 30")
    dispose(probed, "session")
    assert probed.exec("/record fresh").head["ok"] is True
    assert recorded(probed) == ["fresh"]
    assert (session(probed) or {})["executing"] is False


@pytest.mark.requirement("session.closed.waiting", "topic.owner")
def test_other_topics_and_users_continue(probed: DaemonProcess, connect: Connect) -> None:
    probed.register("other")
    others = [connect(probed) for _ in range(2)]
    others[0].send(execute("/nap 2", topic="file:other"))
    others[1].send(execute("/nap 2", user="other"))
    busy(probed, connect, "/nap 30")
    dispose(probed, "session")
    assert [replied(client.receive().body)[0]["ok"] for client in others] == [True, True]


@pytest.mark.requirement("session.closed.running", "exec.disconnect")
@pytest.mark.parametrize("way", WAYS)
def test_command_of_a_disconnected_client_is_ended(probed: DaemonProcess, connect: Connect, way: str) -> None:
    seconds = unique_seconds()
    client = connect(probed)
    client.send(execute(f"/exec sleep {seconds}"))
    eventually(lambda: running_with(seconds))
    client.close()
    dispose(probed, way)
    eventually(lambda: not running_with(seconds))
