"""The limits of the state of topics."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stringd.api.provenance import BY_HAND, attributed, plain
from stringd.api.sessions import Location, State
from stringd.errors import Refusal
from stringd.sessions.state_limits import HISTORY, LOCATION, NAMED, SEEN, VARIABLES, within_budget
from stringd.testing.process import DaemonProcess

TOPICS = 200
KIBIBYTE = 1024


@pytest.fixture
def daemon(own_daemon: DaemonProcess) -> DaemonProcess:
    """A separate daemon, which tests stop or inspect."""
    return own_daemon


def resident(daemon: DaemonProcess) -> int:
    """Return how much memory a daemon takes, in bytes."""
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    line = next(it for it in status.splitlines() if it.startswith("VmRSS:"))
    return int(line.split()[1]) * KIBIBYTE


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.requirement("budget.variables", "budget.topics")
def test_memory_of_two_hundred_full_topics(daemon: DaemonProcess) -> None:
    before = resident(daemon)
    for number in range(TOPICS):
        topic = f"file:t{number}"
        assert daemon.exec(f'/set {{a}} = "{"x" * (VARIABLES - KIBIBYTE)}"', topic).head["ok"]
        more = daemon.exec(f'/set {{b}} = "{"y" * 2 * KIBIBYTE}"', topic)
        assert more.head["code"] == "TOPIC_FULL"
        assert "1024 KiB" in more.content
    bound = TOPICS * (VARIABLES + 2 * NAMED + SEEN + HISTORY + LOCATION)
    assert resident(daemon) - before < bound
    assert "{b}" not in daemon.exec("/set", "file:t0").content


@pytest.mark.requirement("budget.variables")
def test_refused_variable_changes_nothing(daemon: DaemonProcess) -> None:
    daemon.exec('/set {kept} = "1"')
    assert daemon.exec(f'/set {{x}} = "{"x" * VARIABLES}"').head["code"] == "TOPIC_FULL"
    assert daemon.exec(f'/set {{y}} = "{"é" * (VARIABLES // 4)}"').head["ok"]
    daemon.restart()
    assert '{kept} = "1"' in daemon.exec("/set").content
    assert daemon.exec('/set {y} = ""').head["ok"]
    assert daemon.exec(f'/set {{x}} = "{"x" * (VARIABLES // 2)}"').head["ok"]


@pytest.mark.requirement("budget.places")
def test_location_length_is_limited(daemon: DaemonProcess) -> None:
    reply = daemon.exec("/open http://127.0.0.1:9/" + "x" * LOCATION)
    assert not reply.head["ok"]
    assert daemon.exec("/info").head["meta"] is None


@pytest.mark.requirement("budget.places")
def test_latest_locations_are_kept() -> None:
    places = tuple(Location(uri=f"http://site.example/{number}/" + "x" * 30_000) for number in range(100))
    state = within_budget(State(history=places), State())
    assert 4 < len(state.history) < 10
    assert state.history == places[-len(state.history) :]
    with pytest.raises(Refusal, match="64 KiB"):
        within_budget(State(document=Location(uri="http://site.example/" + "x" * LOCATION)), State())


@pytest.mark.requirement("budget.named")
@pytest.mark.parametrize("field", ["links", "seen"])
@pytest.mark.parametrize(("size", "count"), [(1, 10_000), (1000, 1000), (100_000, 100), (NAMED + 1, 10)])
def test_latest_automatic_entries_are_kept(field: str, size: int, count: int) -> None:
    named = {f"name-{number}": "x" * size for number in range(count)}
    state = State(links=attributed(named, BY_HAND)) if field == "links" else State(seen=dict(named))
    left = within_budget(state, State())
    kept = plain(left.links) if field == "links" else left.seen
    assert len(json.dumps(kept)) <= (NAMED if field == "links" else SEEN)
    assert list(kept.items()) == list(named.items())[len(named) - len(kept) :]
    assert kept or size > SEEN // 2 - KIBIBYTE
