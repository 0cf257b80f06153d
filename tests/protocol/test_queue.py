"""The queue of a topic: order, capacity, timeout, and disconnected clients."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.streams import body_of, replied
from tests.protocol.waits import eventually, recorded, running, session, waiting
from tests.protocol.wire import execute

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess
    from tests.protocol.conftest import Connect, StartProbed
    from tests.protocol.wire import Answer, Connection

CAPACITY = 16
FULL = {"error": "QUEUE_FULL", "message": "Topic default:file:main has 16 commands queued. Try again later."}
TIMED_OUT = {"error": "QUEUE_TIMEOUT", "message": "Timed out waiting in queue."}
GUARDED = "mkdir lock && sleep 0.02 && rmdir lock"


def occupy(daemon: DaemonProcess, connect: Connect, cmd: str) -> Connection:
    """A client whose command runs now."""
    client = connect(daemon)
    client.send(execute(cmd))
    running(daemon)
    return client


def enqueue(daemon: DaemonProcess, connect: Connect, *commands: str) -> list[Connection]:
    """Clients whose commands wait now, in this order."""
    clients = []
    for count, cmd in enumerate(commands, start=1):
        clients.append(connect(daemon))
        clients[-1].send(execute(cmd))
        waiting(daemon, count)
    return clients


def outcome(answer: Answer) -> Any:
    return replied(answer.body)[0]["ok"] if answer.status == 200 else answer.json()


@pytest.mark.requirement("exec.queue.serial", "topic.fifo", "exec.queue.capacity")
def test_sixteen_wait_and_run_in_order(probed: DaemonProcess, connect: Connect) -> None:
    first = occupy(probed, connect, "/nap 2")
    waiters = enqueue(probed, connect, *(f"/record {number}" for number in range(CAPACITY)))
    assert recorded(probed) == []
    assert [outcome(client.receive()) for client in (first, *waiters)] == [True] * (CAPACITY + 1)
    assert recorded(probed) == [str(number) for number in range(CAPACITY)]


@pytest.mark.requirement("exec.ping", "exec.queue.serial")
def test_the_stream_of_a_waiting_command_opens_in_its_turn(probed: DaemonProcess, connect: Connect) -> None:
    occupy(probed, connect, "/nap 1")
    (waiter,) = enqueue(probed, connect, "/nap 20")
    assert waiter.begin() == 200
    assert (session(probed) or {})["executing"] is True
    assert probed.request("POST", "/cancel", {"topic": "file:main"}, {"X-User-Id": "default"}).status == 200


@pytest.mark.requirement("exec.queue.full", "error.code", "topic.owner", "topic.parallel", "cors.headers")
def test_only_the_seventeenth_is_refused(probed: DaemonProcess, connect: Connect) -> None:
    probed.register("other")
    occupy(probed, connect, "/nap 4")
    waiters = enqueue(probed, connect, *["/record waited"] * CAPACITY)
    answer = probed.request("POST", "/exec", {"cmd": "/record refused"}, headers={"X-User-Id": "default"})
    assert (answer.status, answer.json()) == (429, FULL)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert probed.exec("/info", "file:other").head["ok"] is True
    assert probed.exec("/info", "file:main", "other").head["ok"] is True
    assert recorded(probed) == []
    assert [outcome(client.receive()) for client in waiters] == [True] * CAPACITY
    assert recorded(probed) == ["waited"] * CAPACITY


@pytest.mark.requirement("exec.queue.timeout", "error.code", "cors.headers")
def test_queue_timeout_is_504_and_never_runs(start_probed: StartProbed, connect: Connect) -> None:
    probed = start_probed(STRINGD_QUEUE_WAIT="0.5", STRINGD_PING="0.1")
    first = occupy(probed, connect, "/nap 2")
    waiters = enqueue(probed, connect, "/record late", "/record later")
    started = time.monotonic()
    answers = [client.receive() for client in waiters]
    assert time.monotonic() - started < 1.5
    assert [(answer.status, answer.json()) for answer in answers] == [(504, TIMED_OUT)] * 2
    assert answers[0].headers["access-control-allow-origin"] == "*"
    assert (session(probed) or {})["queue_length"] == 0
    assert outcome(first.receive()) is True
    assert probed.exec("/record next").head["ok"] is True
    assert recorded(probed) == ["next"]


@pytest.mark.requirement("exec.queue.abort", "topic.fifo")
@pytest.mark.parametrize("leave", ["close", "reset"])
def test_disconnected_waiter_never_runs(probed: DaemonProcess, connect: Connect, leave: str) -> None:
    first = occupy(probed, connect, "/nap 2")
    one, gone, two = enqueue(probed, connect, "/record one", "/record gone", "/record two")
    getattr(gone, leave)()
    waiting(probed, 2)
    assert [outcome(client.receive()) for client in (first, one, two)] == [True] * 3
    assert recorded(probed) == ["one", "two"]


@pytest.mark.requirement("exec.queue.abort", "exec.queue.capacity")
def test_disconnected_waiter_frees_its_place(probed: DaemonProcess, connect: Connect) -> None:
    occupy(probed, connect, "/nap 3")
    waiters = enqueue(probed, connect, *["/info"] * CAPACITY)
    waiters[5].close()
    waiting(probed, CAPACITY - 1)
    successor = connect(probed)
    successor.send(execute("/record successor"))
    waiting(probed, CAPACITY)
    assert outcome(successor.receive()) is True


@pytest.mark.requirement("exec.disconnect", "exec.handover")
@pytest.mark.parametrize("leave", ["close", "reset"])
@pytest.mark.parametrize("streaming", [False, True])
def test_command_of_a_disconnected_client_completes(
    probed: DaemonProcess, connect: Connect, leave: str, streaming: bool
) -> None:
    first = occupy(probed, connect, "/exec sleep 1; echo completed >> record.txt")
    (follower,) = enqueue(probed, connect, "/record next")
    assert not streaming or first.begin() == 200
    getattr(first, leave)()
    assert outcome(follower.receive()) is True
    assert recorded(probed) == ["completed", "next"]
    assert (session(probed) or {})["executing"] is False


@pytest.mark.requirement("exec.disconnect")
def test_short_answer_to_a_client_that_has_left_is_dropped(probed: DaemonProcess, connect: Connect) -> None:
    client = connect(probed)
    client.send(execute("/exec sleep 0.1; echo completed >> record.txt"))
    running(probed)
    client.close()
    eventually(lambda: recorded(probed) == ["completed"] and not (session(probed) or {})["executing"])
    assert "Traceback" not in probed.stderr()


@pytest.mark.requirement("exec.handover", "exec.queue.serial")
def test_no_two_commands_of_a_topic_overlap(probed: DaemonProcess, connect: Connect) -> None:
    clients = [connect(probed) for _ in range(CAPACITY)]
    for client in clients:
        client.send(execute(f"/exec {GUARDED}") * 3)
    answers = [outcome(client.receive()) for client in clients for _ in range(3)]
    assert answers == [True] * len(answers)
    assert not (probed.home / "lock").exists()


@pytest.mark.requirement("exec.handover")
def test_newcomer_does_not_overtake_at_handover(probed: DaemonProcess, connect: Connect) -> None:
    first = occupy(probed, connect, "/nap 1")
    enqueue(probed, connect, "/nap 0.3", "/record early")
    first.receive()
    assert probed.exec("/record late").head["ok"] is True
    assert recorded(probed) == ["early", "late"]


@pytest.mark.requirement("exec.handover")
def test_turn_is_passed_on_immediately(probed: DaemonProcess, connect: Connect) -> None:
    first = occupy(probed, connect, "/nap 1")
    waiters = enqueue(probed, connect, *["/nap 0.05"] * CAPACITY)
    first.receive()
    started = time.monotonic()
    assert [body_of(replied(client.receive().body)[1]) for client in waiters] == ["Napped"] * CAPACITY
    assert time.monotonic() - started < CAPACITY * 0.05 + 1
