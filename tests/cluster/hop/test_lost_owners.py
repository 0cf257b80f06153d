"""What becomes of requests if the node with the home moves it, dies, stands still or loses its lease."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from stringd.testing.process import HttpReply
from tests.cluster.hop.conftest import Hoppers
from tests.cluster.hop.hopping_plugin import LEASE_SECONDS
from tests.protocol.waits import eventually

pytestmark = pytest.mark.long

ANN = {"X-User-Id": "ann"}
PATIENCE = LEASE_SECONDS + 4.0
Send = Callable[..., "Future[HttpReply]"]


@pytest.fixture
def send(hoppers: Hoppers) -> Iterator[Send]:
    """Return a function that sends a request through `a`, whose answer comes later."""
    with ThreadPoolExecutor() as executor:

        def start(method: str, path: str, body: Any = None) -> Future[HttpReply]:
            return executor.submit(hoppers["a"].daemon.request, method, path, body, ANN)

        yield start


@pytest.fixture
def trio(hoppers: Hoppers) -> Hoppers:
    """Nodes a, b and c; the home of ann is at b, and will be at c."""
    hoppers.add("c")
    hoppers.tell(ann="b", moved={"ann": "c"})
    hoppers.tell("c", ann="c")
    return hoppers


def lose(hoppers: Hoppers, how: str) -> None:
    """Let b not answer any more, and its lease end, if it is not noticed otherwise."""
    b = hoppers["b"]
    if how == "killed":
        b.daemon.kill()
    elif how == "paused":
        os.kill(b.daemon.process.pid, signal.SIGSTOP)
        hoppers.tell("a", gone="b", ann="b", moved={"ann": "c"})
    elif how == "cut":
        b.cut.refuse()


def command(cmd: str, request_id: str | None = None) -> Mapping[str, Any]:
    return {"cmd": cmd, **({"request_id": request_id} if request_id else {})}


@pytest.mark.requirement("cluster.hop.elsewhere")
@pytest.mark.parametrize("length", [0, 10, 10_000_000])
def test_a_node_without_the_home_has_the_right_one_asked(trio: Hoppers, length: int) -> None:
    trio.tell("b", ann="c")
    seen = trio["a"].daemon.request("POST", "/seen", b"x" * length, ANN).json()
    assert (seen["size"], seen["caller"][0]) == (length, "a")
    assert trio["b"].log == []


@pytest.mark.requirement("cluster.hop.elsewhere")
@pytest.mark.parametrize("length", [0, 10])
def test_a_node_that_gives_its_home_up_has_the_next_one_asked(trio: Hoppers, length: int) -> None:
    reply = trio["a"].daemon.request("POST", "/refused", b"x" * length, ANN)
    assert (reply.status, reply.text) == (200, "ran")
    assert (trio["b"].log, trio["c"].log) == ([f"got {length}"], [f"got {length}"] * 2)


@pytest.mark.requirement("cluster.hop.elsewhere")
@pytest.mark.parametrize("length", [0, 10])
def test_a_home_that_leaves_this_node_is_asked_for_at_the_next(trio: Hoppers, length: int) -> None:
    trio.tell("a", ann="b", moved={"ann": "a c"})
    trio.tell("b", ann="a")
    reply = trio["a"].daemon.request("POST", "/refused", b"x" * length, ANN)
    assert (reply.status, reply.text) == (200, "ran")
    assert (trio["a"].log, trio["c"].log) == ([f"got {length}"], [f"got {length}"] * 2)


@pytest.mark.requirement("cluster.hop.elsewhere")
def test_what_can_not_be_sent_again_is_refused(trio: Hoppers) -> None:
    reply = trio["a"].daemon.request("POST", "/refused", b"x" * 300_000, ANN)
    assert (reply.status, reply.text) == (503, "refused")


@pytest.mark.requirement("cluster.hop.here")
@pytest.mark.parametrize("length", [0, 10, 10_000_000])
def test_a_home_that_has_come_here_is_served_here(hoppers: Hoppers, length: int) -> None:
    hoppers.tell("a", ann="b", moved={"ann": "a"})
    hoppers.tell("b", ann="a")
    seen = hoppers["a"].daemon.request("POST", "/seen", b"x" * length, ANN).json()
    assert (seen["size"], seen["caller"]) == (length, ["a", "ann", "ann", "exec"])


@pytest.mark.requirement("cluster.hop.never_ran")
def test_what_was_not_sent_is_sent_to_the_next_owner(trio: Hoppers, send: Send) -> None:
    trio["b"].daemon.kill()
    trio.tell("a", ann="b")
    waiting = send("POST", "/exec", command("once"))
    eventually(lambda: trio["a"].seen["lookups"] > 2)
    assert not waiting.done()
    trio.tell("a", gone="b", ann="c")
    assert waiting.result(5).text == "once has run"
    assert trio["c"].log == ["ran once"]


@pytest.mark.requirement("cluster.hop.never_ran")
def test_an_owner_that_can_not_be_reached_is_asked_for_a_bounded_time(hoppers: Hoppers) -> None:
    hoppers["b"].cut.refuse()
    began = time.monotonic()
    reply = hoppers["a"].daemon.request("POST", "/exec", command("once"), ANN)
    assert PATIENCE - 1 < time.monotonic() - began < PATIENCE + 2
    assert (reply.status, reply.json()["error"]) == (503, "HOME_UNAVAILABLE")
    assert hoppers["a"].seen["lookups"] < 40
    hoppers["b"].cut.heal()
    assert hoppers["a"].daemon.request("POST", "/exec", command("once"), ANN).status == 200


@pytest.mark.requirement("cluster.hop.safe", "cluster.hop.lease")
@pytest.mark.parametrize("how", ["killed", "paused", "cut"])
def test_what_changes_nothing_is_repeated(trio: Hoppers, send: Send, how: str) -> None:
    waiting = send("GET", "/wait")
    eventually(lambda: trio["b"].log and not trio["b"].log[0].startswith("reading"))
    lose(trio, how)
    assert eventually(lambda: trio["c"].log == ["begun /wait"])
    trio["c"].daemon.kill()
    trio.tell("a", gone="c", ann="c")
    assert waiting.result(10).status == 503


@pytest.mark.requirement("cluster.hop.unknown", "cluster.hop.lease")
@pytest.mark.parametrize("how", ["killed", "paused", "cut"])
@pytest.mark.parametrize(
    ("path", "body"), [("/exec", command("wait")), ("/wait", "x"), ("/wait", b"x" * 300_000)]
)
def test_what_may_have_run_is_unknown(trio: Hoppers, send: Send, how: str, path: str, body: Any) -> None:
    waiting = send("POST", path, body)
    eventually(lambda: trio["b"].log and not trio["b"].log[0].startswith("reading"))
    lose(trio, how)
    reply = waiting.result(5)
    assert (reply.status, reply.json()["error"]) == (503, "OUTCOME_UNKNOWN")
    assert reply.headers["X-Error-Code"] == "OUTCOME_UNKNOWN"
    assert reply.headers["Retry-After"] == "1"
    assert "request_id" in reply.json()["message"]
    assert trio["c"].log == []


@pytest.mark.requirement("cluster.hop.once", "cluster.hop.lease")
@pytest.mark.parametrize("how", ["killed", "paused", "cut"])
def test_a_command_with_a_request_id_is_repeated(trio: Hoppers, send: Send, how: str) -> None:
    waiting = send("POST", "/exec", command("wait", "r1"))
    assert eventually(lambda: trio["b"].log == ["ran wait"])
    lose(trio, how)
    assert eventually(lambda: trio["c"].log == ["ran wait"])
    assert not waiting.done()
    trio["c"].daemon.kill()
    trio.tell("a", gone="c", ann="c")
    assert waiting.result(10).json()["error"] == "OUTCOME_UNKNOWN"


@pytest.mark.requirement("cluster.hop.cut_streams", "cluster.hop.lease")
@pytest.mark.parametrize("how", ["killed", "paused", "cut"])
def test_a_stream_that_has_begun_ends_visibly(trio: Hoppers, how: str) -> None:
    with socket.create_connection(("127.0.0.1", trio["a"].daemon.port), timeout=10) as client:
        client.sendall(b"GET /events HTTP/1.1\r\nHost: a\r\nX-User-Id: ann\r\n\r\n")
        received = b""
        while b"data: 1" not in received:
            received += client.recv(1000)
        lose(trio, how)
        while chunk := client.recv(1000):
            received += chunk
    assert not received.endswith(b"0\r\n\r\n")
    assert "node b was lost amid an answer" in trio["a"].daemon.stderr()
