"""Sessions: creating, listing, closing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.waits import running, session, waiting
from tests.protocol.wire import execute, request

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import Connect

FRESH = {
    "user_id": "default",
    "topic": "file:main",
    "topic_type": "file",
    "executing": False,
    "queue_length": 0,
    "doc": None,
}
CREATED = {"user_id": "default", "topic": "file:main", "topic_type": "file", "created": True}
DOCUMENT = {"uri": "probe:garden", "title": "Probe garden", "current_block": None}


def create(daemon: DaemonProcess, **body: Any) -> tuple[int, Any]:
    answer = daemon.request("POST", "/sessions", body)
    return answer.status, answer.json()


def listed(daemon: DaemonProcess, query: str = "") -> list[tuple[str, str]]:
    sessions = daemon.request("GET", f"/sessions{query}").json()["sessions"]
    return sorted((entry["user_id"], entry["topic"]) for entry in sessions)


@pytest.mark.requirement("sessions.list", "sessions.list.no_doc", "sessions.create", "sessions.create.idle")
def test_created_session_is_listed_empty(daemon: DaemonProcess) -> None:
    assert daemon.request("GET", "/sessions").json() == {"sessions": []}
    assert create(daemon, user_id="default", topic="file:main") == (200, CREATED)
    answer = daemon.request("GET", "/sessions")
    assert (answer.status, answer.json()) == (200, {"sessions": [FRESH]})


@pytest.mark.requirement("sessions.create.again")
def test_creating_an_existing_session_keeps_its_state(daemon: DaemonProcess) -> None:
    daemon.exec('/set {a} = "1"')
    answer = create(daemon, user_id="default", topic="file:main")
    assert answer == (200, CREATED | {"created": False})
    assert '{a} = "1"' in daemon.exec("/set").content


@pytest.mark.requirement("sessions.create.user_required")
@pytest.mark.parametrize("body", [{}, {"user_id": ""}, {"user_id": None, "topic": "?"}])
def test_user_id_is_required(shared: DaemonProcess, body: dict[str, Any]) -> None:
    assert create(shared, **body) == (400, {"error": "user_id required"})


@pytest.mark.requirement("sessions.create.unknown_user")
@pytest.mark.parametrize("topic", ["file:main", "?"])
def test_unknown_user_is_401_before_the_topic(shared: DaemonProcess, topic: str) -> None:
    assert create(shared, user_id="nobody", topic=topic) == (401, {"error": "Unknown user: nobody"})


@pytest.mark.requirement("sessions.create.topic")
def test_invalid_topic_is_400(daemon: DaemonProcess) -> None:
    answer = create(daemon, user_id="default", topic="nope:main")
    assert answer == (400, {"error": "Invalid topic: nope:main"})
    assert listed(daemon) == []


@pytest.mark.requirement("http.bad_shape")
@pytest.mark.parametrize("body", [{"user_id": 5}, {"user_id": []}, {"user_id": "default", "topic": 5}])
def test_wrong_types_are_400(shared: DaemonProcess, body: dict[str, Any]) -> None:
    status, answer = create(shared, **body)
    assert status == 400
    assert isinstance(answer["error"], str)


@pytest.mark.requirement("sessions.list.filter", "sessions.list.all", "health.sessions", "health")
def test_list_of_one_user_and_of_all(daemon: DaemonProcess) -> None:
    daemon.register("other")
    for user, topic in [("default", "file:a"), ("default", "web:a"), ("other", "file:a")]:
        create(daemon, user_id=user, topic=topic)
    assert listed(daemon, "?user_id=default") == [("default", "file:a"), ("default", "web:a")]
    assert listed(daemon, "?user_id=other") == [("other", "file:a")]
    assert listed(daemon, "?user_id=nobody") == []
    assert len(listed(daemon)) == 3
    health = daemon.request("GET", "/health").json()
    assert health.items() >= {"ok": True, "users": 2, "sessions": 3}.items()


@pytest.mark.requirement("sessions.list.busy")
def test_running_and_waiting_commands_are_counted(probed: DaemonProcess, connect: Connect) -> None:
    clients = [connect(probed) for _ in range(3)]
    clients[0].send(execute("/nap 1"))
    running(probed)
    assert session(probed) == FRESH | {"executing": True}
    for count, client in enumerate(clients[1:], start=1):
        client.send(execute("/record x"))
        waiting(probed, count)
    assert session(probed) == FRESH | {"executing": True, "queue_length": 2}
    for client in clients:
        client.receive()
    assert session(probed) == FRESH


@pytest.mark.requirement("sessions.list.doc")
def test_opened_document_is_listed(probed: DaemonProcess) -> None:
    probed.exec("/visit probe:garden")
    assert session(probed) == FRESH | {"doc": DOCUMENT}


@pytest.mark.requirement("sessions.delete", "sessions.delete.missing", "sessions.delete.state")
@pytest.mark.parametrize("path", ["file:main", "file%3Amain", "main"])
def test_closed_session_starts_fresh(daemon: DaemonProcess, path: str) -> None:
    daemon.exec('/set {a} = "1"')
    answers = [daemon.request("DELETE", f"/sessions/default/{path}") for _ in range(2)]
    assert [(answer.status, answer.json()) for answer in answers] == [
        (200, {"user_id": "default", "topic": "file:main", "deleted": True}),
        (200, {"user_id": "default", "topic": "file:main", "deleted": False}),
    ]
    assert listed(daemon) == []
    assert '{a} = "1"' not in daemon.exec("/set").content


@pytest.mark.requirement("sessions.delete.missing")
def test_closing_for_an_unknown_user_deletes_nothing(shared: DaemonProcess) -> None:
    answer = shared.request("DELETE", "/sessions/nobody/file:main")
    assert (answer.status, answer.json()) == (
        200,
        {"user_id": "nobody", "topic": "file:main", "deleted": False},
    )


@pytest.mark.requirement("sessions.delete.path")
@pytest.mark.parametrize(
    "path",
    ["/sessions", "/sessions/default", "/sessions/default/", "/sessions//", "/sessions/default/file:a/b"],
)
def test_other_paths_are_400(shared: DaemonProcess, path: str) -> None:
    answer = shared.request("DELETE", path)
    assert (answer.status, answer.json()) == (400, {"error": "Expected /sessions/:user_id/:topic"})


@pytest.mark.requirement("topic.invalid")
def test_closing_an_invalid_topic_is_400(shared: DaemonProcess) -> None:
    answer = shared.request("DELETE", "/sessions/default/nope:x")
    assert (answer.status, answer.json()) == (400, {"error": "Invalid topic: nope:x"})


@pytest.mark.requirement("topic.owner", "topic.state")
def test_state_is_per_user_and_topic(daemon: DaemonProcess) -> None:
    daemon.register("other")
    daemon.exec('/set {a} = "1"', "file:a")
    assert '{a} = "1"' in daemon.exec("/set", "file:a").content
    for topic, user in [("file:b", "default"), ("web:a", "default"), ("file:a", "other")]:
        assert '{a} = "1"' not in daemon.exec("/set", topic, user).content


@pytest.mark.requirement("sessions.create", "sessions.create.again")
def test_concurrent_requests_create_one_session(daemon: DaemonProcess, connect: Connect) -> None:
    message = request("POST", "/sessions", b'{"user_id": "default", "topic": "file:main"}')
    clients = [connect(daemon) for _ in range(20)]
    for client in clients:
        client.send(message)
    created = [client.receive().json()["created"] for client in clients]
    assert sorted(created) == [False] * 19 + [True]
