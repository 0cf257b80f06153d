"""`GET /events`: its format, resumption, refusals, clients that do not read."""

from __future__ import annotations

import http.client
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from bench.memory import memory_of
from stringd.testing.process import DaemonProcess
from tests.events.watching import Watching, watching
from tests.protocol.waits import eventually

Start = Callable[..., DaemonProcess]


def lost_events(stream: Watching) -> int:
    return sum(it["count"] for it in stream.all("lost"))


@pytest.mark.requirement("events.kinds.command", "events.stream.shape")
def test_events_of_a_command_are_streamed(chattering: DaemonProcess) -> None:
    with watching(chattering) as stream:
        chattering.exec("/say hello", "file:main", request_id="r1")
        ended = stream.wait_for("command-ended")
    opened, begun, said, _ = stream.records
    assert opened["kind"] == "session-opened"
    common = {"user_id": "default", "topic": "file:main", "request_id": "r1"}
    assert begun.items() >= {**common, "kind": "command-begun", "label": "/say hello"}.items()
    assert said.items() >= {**common, "kind": "output", "text": "hello", "done": None}.items()
    assert ended.items() >= {**common, "label": "/say hello", "code": None, "size": 5}.items()
    assert 0 <= ended["seconds"] < 5
    assert [it["seq"] for it in stream.records] == list(range(opened["seq"], opened["seq"] + 4))
    assert begun["at"] <= said["at"] <= ended["at"]


@pytest.mark.requirement("events.label.whole")
def test_label_is_masked_and_not_truncated(chattering: DaemonProcess) -> None:
    words = "long " * 60
    with watching(chattering) as stream:
        chattering.exec(f"/say {words}", "file:main")
        chattering.exec("/set $KEY = 'hidden-1234'", "app:main")
        begun = stream.wait_for("command-begun", topic="app:main")
        ended = stream.wait_for("command-ended", topic="app:main")
    assert stream.wait_for("command-begun")["label"] == f"/say {words}".strip()
    assert begun["label"].startswith("/set $KEY = ")
    assert "hidden-1234" not in str(stream.records)
    assert begun["label"] == ended["label"]


@pytest.mark.requirement("events.filter")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"topic": "b"}, {"file:b"}),
        ({"topic": "file:b", "kinds": "command-ended"}, {"file:b"}),
        ({"user_id": "ann"}, {"file:a"}),
        ({"request_id": "r"}, {"file:c"}),
        ({"topic": "", "user_id": "", "kinds": "", "after": ""}, {"file:a", "file:b", "file:c"}),
    ],
)
def test_filters(chattering: DaemonProcess, query: dict[str, Any], expected: set[str]) -> None:
    chattering.register("ann")
    with watching(chattering, **query) as stream, watching(chattering) as everything:
        chattering.exec("/say it", "file:a", user="ann")
        chattering.exec("/say it", "file:b")
        chattering.exec("/say it", "file:c", request_id="r")
        everything.wait_for("command-ended", topic="file:c")
        stream.until(lambda seen: {it["topic"] for it in seen if it["kind"] == "command-ended"} == expected)
    assert {it["topic"] for it in stream.records} == expected
    if query.get("kinds"):
        assert {it["kind"] for it in stream.records} == {"command-ended"}


@pytest.mark.requirement("events.resume")
@pytest.mark.parametrize("how", ["after id", "after number", "header", "header wins"])
def test_resumed_stream_sends_missed_events(chattering: DaemonProcess, how: str) -> None:
    with watching(chattering) as stream:
        chattering.exec("/say one", "file:main")
        stream.wait_for("command-ended")
        eventually(lambda: stream.position.endswith(f"-{stream.records[-1]['seq']}"))
        position = stream.position
    chattering.exec("/say two", "file:main")
    seq = int(position.partition("-")[2])
    query: dict[str, dict[str, Any]] = {
        "after id": {"after": position},
        "after number": {"after": seq},
        "header": {"headers": {"Last-Event-ID": position}},
        "header wins": {"after": 0, "headers": {"Last-Event-ID": position}},
    }
    with watching(chattering, **query[how]) as back:
        back.wait_for("command-ended")
        assert [it["seq"] for it in back.records] == [seq + 1, seq + 2, seq + 3]
        chattering.exec("/say three", "file:main")
        back.wait_for("output", text="three")
    seqs = [it["seq"] for it in back.records]
    assert seqs == list(range(seq + 1, seq + 1 + len(seqs)))


@pytest.mark.requirement("events.lost")
def test_position_of_an_earlier_run_reports_the_restart_and_sends_kept_events(
    chattering: DaemonProcess,
) -> None:
    with watching(chattering) as stream:
        position = stream.position
    chattering.restart()
    with watching(chattering, after=position) as back:
        back.wait_for("daemon-ready")
    lost, ready = back.records[:2]
    assert (lost["kind"], lost["count"], lost["seq"]) == ("lost", None, None)
    assert lost["reason"] == "the daemon has been restarted"
    assert (ready["kind"], ready["seq"]) == ("daemon-ready", 1)
    assert back.position.partition("-")[0] != position.partition("-")[0]


@pytest.mark.requirement("events.lost")
def test_position_ahead_of_the_latest_event_is_reported(chattering: DaemonProcess) -> None:
    with watching(chattering, after=999_999) as stream:
        ready = stream.wait_for("daemon-ready")
    assert stream.records[0].items() >= {"kind": "lost", "count": None}.items()
    assert ready["seq"] == 1


@pytest.mark.requirement("events.lost")
def test_events_that_are_no_longer_kept_are_counted(chattering: DaemonProcess) -> None:
    for number in range(11):
        # The limit on the output of a topic in one second.
        assert chattering.exec("/flood 1000 output", f"file:t{number}").head["ok"]
    with watching(chattering, after=0) as stream:
        stream.wait_for("command-ended", topic="file:t10")
    lost, first = stream.records[:2]
    assert (lost["kind"], lost["reason"]) == ("lost", "the daemon no longer keeps them")
    assert first["seq"] == lost["count"] + 1
    assert lost["count"] > 1000


@pytest.mark.requirement("events.refused")
@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("kinds=comand-begun", "Unknown kind of event: comand-begun — did you mean command-begun?"),
        ("kinds=output,chater", "Unknown kind of event: chater — did you mean chatter?"),
        ("after=x", "Invalid after: x — expected a number, or an event's id"),
        ("after=-1", "Invalid after: -1 — expected a number, or an event's id"),
        ("after=zz-1", "Invalid after: zz-1 — expected a number, or an event's id"),
        ("after=1&after=2", "More than one after"),
        ("topic=a&topic=b", "More than one topic"),
    ],
)
def test_invalid_query_is_refused(chattering: DaemonProcess, query: str, message: str) -> None:
    reply = chattering.request("GET", f"/events?{query}")
    assert (reply.status, reply.json()) == (400, {"error": message})
    assert reply.headers["X-Error-Code"] == "INVALID_REQUEST"


@pytest.mark.requirement("events.refused")
def test_invalid_topic_header_or_method_is_refused(chattering: DaemonProcess) -> None:
    assert chattering.request("GET", "/events?topic=x:y").headers["X-Error-Code"] == "INVALID_TOPIC"
    reply = chattering.request("GET", "/events", headers={"Last-Event-ID": "x"})
    assert reply.json() == {"error": "Invalid Last-Event-ID: x — expected a number, or an event's id"}
    assert chattering.request("POST", "/events", {}).status == 405
    reply = chattering.request("HEAD", "/events")
    assert (reply.status, reply.body) == (200, b"")


def test_idle_stream_is_kept_alive_with_its_position(start_daemon: Start) -> None:
    chattering = start_daemon(env={"STRINGD_PING": "0.3"})
    chattering.register("default", chattering.home)
    with watching(chattering, kinds="user-added") as stream:
        position = stream.position
        chattering.exec("/info", "file:main")
        # The position includes filtered events, so that they are not searched again.
        eventually(lambda: stream.position != position)
        assert stream.records == []


@pytest.mark.requirement("events.foreign")
def test_event_that_is_not_json_does_not_affect_others(chattering: DaemonProcess) -> None:
    with watching(chattering) as stream, watching(chattering, kinds="chatter") as other:
        assert chattering.exec("/odd", "file:main").head["ok"]
        stream.wait_for("command-ended")
        assert other.wait_for("chatter")["words"] == "\x1b[31m\u202ered?\n"
    (lost,) = stream.all("lost")
    assert (lost["count"], lost["reason"]) == (
        1,
        "it could not be written as JSON; the daemon's log says why",
    )
    seqs = [it["seq"] for it in stream.records]
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
    assert "event output is no JSON" in chattering.stderr()


@pytest.mark.requirement("events.flood")
def test_flood_of_events_is_limited_and_reported(chattering: DaemonProcess) -> None:
    with watching(chattering) as stream:
        assert chattering.exec("/flood 100000 chatter", "file:main").head["ok"]
        lost = stream.wait_for("lost")
        assert chattering.exec("/say after", "file:main").head["ok"]
        stream.wait_for("output", text="after")
        stream.until(lambda _: len(stream.all("chatter")) + lost_events(stream) == 100_000)
    assert lost["reason"] == "chatter: more than 1,000 of them were published in a second"
    assert re.search(r"\d+ events chatter were dropped", chattering.stderr())


@contextmanager
def silent_watchers(daemon: DaemonProcess, count: int) -> Iterator[list[socket.socket]]:
    """Clients that request events and never read."""
    with ExitStack() as open_ones:
        sockets = []
        for _ in range(count):
            one = open_ones.enter_context(socket.create_connection(("127.0.0.1", daemon.port)))
            one.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            sockets.append(one)
        yield sockets


@pytest.mark.requirement("events.slow")
def test_client_that_never_reads_is_dropped_without_slowing_commands(chattering: DaemonProcess) -> None:
    with silent_watchers(chattering, 5) as (one, *_), watching(chattering, kinds="command-ended") as stream:
        for number in range(6):
            for topic in range(6):
                chattering.exec("/flood 300 output", f"file:t{topic}-{number}")
        stream.until(lambda seen: len(seen) == 36)
        assert chattering.exec("/info", "file:main").head["ok"]
        one.settimeout(20)
        received = bytearray()
        while b'"label":"/info"' not in received and (chunk := one.recv(65536)):
            received += chunk
    assert b"they were read too slowly" in received
    assert received.count(b"event: command-ended") == 37
    assert received.count(b"event: output") < 36 * 300


@pytest.mark.requirement("events.many")
def test_five_hundred_clients(chattering: DaemonProcess) -> None:
    before = memory_of(chattering.process.pid)
    with silent_watchers(chattering, 500) as sockets:
        eventually(lambda: chattering.exec("/say it", "file:main").head["ok"])
        for number in range(20):
            assert chattering.exec(f"/say {number}", "file:main").head["ok"]
        for one in sockets:
            one.settimeout(20)
            received = bytearray()
            while b'"text":"19"' not in received and (chunk := one.recv(65536)):
                received += chunk
            assert b'"text":"19"' in received
        assert chattering.request("GET", "/health").status == 200
    eventually(lambda: sockets_of(chattering) < 20)
    grown = memory_of(chattering.process.pid).resident - before.resident
    assert grown < 64 * 1024


def sockets_of(daemon: DaemonProcess) -> int:
    links = []
    for entry in Path(f"/proc/{daemon.process.pid}/fd").iterdir():
        try:
            links.append(str(entry.readlink()))
        except OSError:
            continue
    return sum(it.startswith("socket:") for it in links)


@pytest.mark.requirement("events.room")
def test_streams_are_closed_when_descriptors_run_out(start_daemon: Start) -> None:
    daemon = start_daemon(program=("prlimit", "--nofile=200:200", sys.executable, "-m", "stringd"))
    daemon.register("default", daemon.home)
    with silent_watchers(daemon, 260):
        for _ in range(3):
            assert daemon.exec("/info", "file:main").head["ok"]


@pytest.mark.requirement("events.end")
def test_stream_ends_after_the_events_of_the_shutdown(chattering: DaemonProcess) -> None:
    with watching(chattering) as stream, watching(chattering, kinds="daemon-stopping") as other:
        running = threading.Thread(target=lambda: chattering.exec("/load 30", "file:main"))
        running.start()
        stream.wait_for("output")
        assert chattering.stop() == 0
        assert stream.has_ended.wait(10)
        assert other.has_ended.wait(10)
        running.join(10)
    kinds = [it["kind"] for it in stream.records]
    assert kinds[-3:] == ["daemon-stopping", "command-ended", "session-ended"]
    assert stream.records[-1]["reason"] == "shutdown"
    assert stream.records[-2]["code"] == "SHUTTING_DOWN"
    assert [it["kind"] for it in other.records] == ["daemon-stopping"]
    assert stream.response.isclosed()


def test_bytes_are_plain_server_sent_events(chattering: DaemonProcess) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", chattering.port, timeout=20)
    connection.request("GET", "/events?after=0&kinds=session-opened,chatter")
    chattering.exec(f"/say {quote('x')}", "file:main")
    answer = connection.getresponse()
    lines = [answer.readline() for _ in range(7)]
    connection.close()
    life = lines[1].removeprefix(b"id: ").partition(b"-")[0]
    assert re.fullmatch(rb"[0-9a-f]{8}", life)
    assert lines[:3] == [b": watching\n", b"id: " + life + b"-0\n", b"\n"]
    assert re.fullmatch(rb"id: " + life + rb"-\d+\n", lines[3])
    assert lines[4] == b"event: session-opened\n"
    assert re.fullmatch(rb'data: \{"kind":"session-opened","seq":\d+,"at":[\d.]+,.*\}\n', lines[5])
    assert lines[6] == b"\n"
