"""Topic names."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.streams import replied
from tests.protocol.waits import session
from tests.protocol.wire import execute

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import Connect

USER = {"X-User-Id": "default"}
CANONICAL = [
    ("file:main", "file:main"),
    ("web:docs", "web:docs"),
    ("app:weather", "app:weather"),
    ("app:weather:korea", "app:weather:korea"),
    ("file:A_b-9", "file:A_b-9"),
    ("  file:main  ", "file:main"),
    ("\tmain ", "file:main"),
    ("main", "file:main"),
    ("web", "file:web"),
    ("", "file:main"),
    ("   ", "file:main"),
    (None, "file:main"),
]
INVALID = [
    "nope:x",
    "File:main",
    "FILE:main",
    ":main",
    "file:",
    ":",
    "file::x",
    "file:a:b",
    "web:a:b",
    "app:a:b:c",
    "app:a:",
    "app::a",
    "file:a.b",
    "file:a/b",
    "file:../x",
    "file:a b",
    "file: main",
    "file :main",
    "two words",
    "a.b",
    "/main",
    "file:naïve",
    "file:١",
    "file:a\x00",
    "file:a\nb",
]


def run(daemon: DaemonProcess, **body: Any) -> Any:
    return daemon.request("POST", "/exec", {"cmd": "/info", **body}, headers=USER)


@pytest.mark.requirement("topic.form", "topic.app_config", "topic.trim", "topic.bare", "topic.default")
def test_topics_that_parse(shared: DaemonProcess) -> None:
    for raw, canonical in CANONICAL:
        head, _ = replied(run(shared, topic=raw).body)
        assert (raw, head["topic"], head["topic_type"]) == (raw, canonical, canonical.partition(":")[0])


@pytest.mark.requirement("topic.default")
def test_absent_topic_is_file_main(shared: DaemonProcess) -> None:
    assert replied(run(shared).body)[0]["topic"] == "file:main"
    answer = shared.request("POST", "/sessions", {"user_id": "default"})
    assert answer.json()["topic"] == "file:main"


@pytest.mark.requirement(
    "topic.invalid", "exec.error.topic", "topic.form", "topic.app_config", "sessions.create.topic"
)
def test_topics_that_do_not_parse(daemon: DaemonProcess) -> None:
    for raw in INVALID:
        expected = (400, {"error": f"Invalid topic: {raw}"})
        answer = run(daemon, topic=raw)
        assert (answer.status, answer.json()) == expected
        created = daemon.request("POST", "/sessions", {"user_id": "default", "topic": raw})
        assert (created.status, created.json()) == expected
    assert daemon.request("GET", "/sessions").json() == {"sessions": []}


@pytest.mark.requirement("http.bad_shape")
@pytest.mark.parametrize("topic", [5, True, [], {}, 1.5, False, 0])
def test_topic_of_another_type_is_400(shared: DaemonProcess, topic: object) -> None:
    answer = run(shared, topic=topic)
    assert answer.status == 400
    assert isinstance(answer.json()["error"], str)


@pytest.mark.requirement("topic.canonical", "exec.head.topic")
def test_displayed_names_are_canonical(daemon: DaemonProcess) -> None:
    assert replied(run(daemon, topic=" main ").body)[0]["topic"] == "file:main"
    created = daemon.request("POST", "/sessions", {"user_id": "default", "topic": " main"}).json()
    assert created == {"user_id": "default", "topic": "file:main", "topic_type": "file", "created": False}
    assert daemon.request("DELETE", "/sessions/default/main").json()["topic"] == "file:main"


@pytest.mark.requirement("topic.case")
def test_names_differ_by_case(daemon: DaemonProcess) -> None:
    daemon.exec('/set {a} = "1"', "file:Main")
    assert '{a} = "1"' not in daemon.exec("/set", "file:main").content
    assert session(daemon, "file:Main") is not None


@pytest.mark.requirement("topic.types")
def test_types_come_from_the_loaded_plugins(start_daemon: Any) -> None:
    daemon = start_daemon("--without", "web")
    daemon.register()
    assert run(daemon, topic="file:x").status == 200
    answer = run(daemon, topic="web:x")
    assert (answer.status, answer.json()) == (400, {"error": "Invalid topic: web:x"})


@pytest.mark.requirement("topic.listed")
def test_invalid_request_does_not_list_a_topic(daemon: DaemonProcess) -> None:
    run(daemon, topic="file:a", cmd="")
    daemon.request("POST", "/exec", b"{", headers=USER)
    daemon.request("POST", "/exec", {"cmd": "/info", "topic": "file:a"}, headers={"X-User-Id": "nobody"})
    daemon.request("DELETE", "/sessions/default/file:a")
    assert session(daemon, "file:a") is None
    run(daemon, topic="file:a", cmd="/no_such_command")
    assert session(daemon, "file:a") is not None


@pytest.mark.requirement("topic.parallel")
def test_topics_run_in_parallel(probed: DaemonProcess, connect: Connect) -> None:
    clients = [connect(probed) for _ in range(8)]
    started = time.monotonic()
    for number, client in enumerate(clients):
        client.send(execute("/nap 1", topic=f"file:t{number}"))
    assert [replied(client.receive().body)[0]["ok"] for client in clients] == [True] * 8
    assert time.monotonic() - started < 4
