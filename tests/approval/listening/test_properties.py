"""Whatever clients send, each gets one reply or none, nothing is run by mistake, and all are served after."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.approval.listening.fake_broker import FakeBroker, Listening
from tests.approval.requests import fields, line, stamp

EXAMPLES = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NAMES = ["id", "host", "session", "time", "pipeline", "env", "reason", "privileged", "forward_agent",
         "action", "version", "cwd", "later"]  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
GOOD: dict[str, st.SearchStrategy[Any]] = {
    "id": st.text(max_size=300),
    "pipeline": st.lists(st.lists(st.text(max_size=8), max_size=4), max_size=4),
    "env": st.dictionaries(st.sampled_from(["LANG", "TZ", "HOME", "PATH", "LC_ALL"]), st.text(max_size=5)),
    "privileged": st.booleans(),
    "forward_agent": st.booleans(),
    "reason": st.text(max_size=20),
    "session": st.text(max_size=20),
    "cwd": st.sampled_from(["/", "/tmp", "tmp", ""]),
}
HALF_VALID = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3)
VALID_TYPES = st.fixed_dictionaries({}, optional=GOOD)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """A listener for all examples."""
    with Listening(tmp_path_factory.mktemp("properties") / "approval.sock", FakeBroker()) as running:
        yield running


def assert_alive(shared: Listening) -> None:
    assert shared.ask(b'{"action":"ping"}\n')["message"] == "pong"


def ran(shared: Listening) -> list[str]:
    """Return the ids of the requests that reached the broker."""
    requests = shared.broker.requests
    return [requests.get_nowait().id for _ in range(requests.qsize())]


@pytest.mark.requirement("approval.exchange.hostile")
@EXAMPLES
@given(st.binary(max_size=400))
def test_arbitrary_bytes(shared: Listening, data: bytes) -> None:
    reply = shared.ask(data, half_close=True)
    assert ran(shared) == []
    assert (reply == {}) is (data == b"")
    if reply:
        assert (reply["id"], reply["status"]) == ("", "error")
        assert ("missing trailing newline" in reply["message"]) is (b"\n" not in data)
    assert_alive(shared)


@pytest.mark.requirement("approval.exchange.hostile")
@EXAMPLES
@given(VALUES)
def test_arbitrary_json(shared: Listening, value: object) -> None:
    reply = shared.ask(json.dumps(value).encode() + b"\n")
    assert ran(shared) == []
    assert reply["status"] == "error"
    assert "invalid JSON" in reply["message"] or reply["id"]


@pytest.mark.requirement("approval.exchange.hostile")
@EXAMPLES
@given(HALF_VALID)
def test_requests_with_arbitrary_fields(shared: Listening, more: dict[str, Any]) -> None:
    reply = shared.ask(json.dumps(fields(**more)).encode() + b"\n")
    assert reply["status"] in {"ok", "error"}
    assert (reply["status"] == "ok") is (ran(shared) == [reply["id"]])


@pytest.mark.requirement("approval.exchange.hostile")
@EXAMPLES
@given(VALID_TYPES)
def test_requests_with_fields_of_their_types(shared: Listening, more: dict[str, Any]) -> None:
    sent = {"time": stamp(), **more}
    reply = shared.ask(json.dumps(sent).encode() + b"\n")
    if reply["status"] == "ok":
        assert ran(shared) == [reply["id"]]
        assert more["pipeline"]
        assert all(stage and stage[0] for stage in more["pipeline"])
        assert not (more.get("forward_agent") and more.get("privileged", True))
        assert "PATH" not in more.get("env", {})
    else:
        assert ran(shared) == []
        assert reply["id"] == "" if "pipeline" not in more else reply["id"]
        assert set(reply) == {"id", "status", "message"}


@pytest.mark.requirement("approval.exchange.hostile")
@EXAMPLES
@given(st.data())
def test_damaged_requests(shared: Listening, data: st.DataObject) -> None:
    whole = line(["true"], id="a", env={"LANG": "C"}, reason="because")
    position = data.draw(st.integers(0, len(whole) - 2))
    piece = data.draw(st.binary(max_size=4))
    length = data.draw(st.integers(0, 4))
    reply = shared.ask(whole[:position] + piece + whole[position + length :], half_close=True)
    assert reply["status"] in {"ok", "error"}
    assert len(ran(shared)) == (reply["status"] == "ok")
    assert_alive(shared)
