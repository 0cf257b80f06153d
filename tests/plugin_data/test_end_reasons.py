"""Topics get the reason of their end, and may save data that outlives them."""

from __future__ import annotations

import json
import time

import pytest

from stringd.testing.process import DaemonProcess

TOPIC = "diary:a"


def ends(daemon: DaemonProcess) -> list[str]:
    return (daemon.home / "ends.txt").read_text(encoding="utf-8").splitlines()


def value(daemon: DaemonProcess) -> object:
    return json.loads(daemon.exec("/kept", TOPIC).content.partition("\n")[2])


@pytest.mark.requirement("end.reason")
@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("close", "close"),
        ("session", "delete"),
        ("home", "close"),
        ("user", "user-removed"),
        ("stop", "shutdown"),
        ("request", "shutdown"),
    ],
)
def test_topic_gets_the_reason_of_its_end(kept: DaemonProcess, way: str, reason: str) -> None:
    kept.exec("/write a.md\n# A", TOPIC)
    kept.exec("/open a.md", TOPIC)
    match way:
        case "close":
            assert kept.exec("/close", TOPIC).head["ok"]
        case "session":
            kept.request("DELETE", f"/sessions/default/{TOPIC}")
        case "home":
            kept.register("default", kept.home / "moved")
        case "user":
            kept.request("DELETE", "/users/default")
        case "stop":
            kept.stop()
        case "request":
            kept.request("POST", "/shutdown")
            kept.process.wait(10)
    assert ends(kept) == [f"{TOPIC} {reason}", "left"]


@pytest.mark.requirement("end.shutdown")
def test_data_saved_at_shutdown_is_restored(kept: DaemonProcess) -> None:
    kept.exec("/keep 1", TOPIC)
    kept.restart()
    assert value(kept) == {"ended": "shutdown"}


@pytest.mark.requirement("end.shutdown")
def test_unused_topic_is_not_notified_of_its_end(kept: DaemonProcess) -> None:
    kept.exec("/keep 1", TOPIC)
    kept.kill()
    kept.restart()
    kept.restart()
    assert not (kept.home / "ends.txt").exists()
    assert value(kept) == 1


@pytest.mark.requirement("end.bounded")
@pytest.mark.parametrize("way", ["delete", "stop"])
@pytest.mark.parametrize("mood", ["slow", "failing", "leaving", "cancelled"])
def test_failing_or_slow_ending_does_not_prevent_the_end(kept: DaemonProcess, mood: str, way: str) -> None:
    kept.exec("/keep 1", TOPIC)
    kept.exec(f"/mood {mood}", TOPIC)
    started = time.monotonic()
    if way == "stop":
        assert kept.stop() == 0
        assert time.monotonic() - started < 5
    else:
        assert kept.request("DELETE", f"/sessions/default/{TOPIC}").json()["deleted"]
        assert time.monotonic() - started < 6
    assert ends(kept) == [f"{TOPIC} {'shutdown' if way == 'stop' else 'delete'}", "left"]
    said = "which was not enough" if mood == "slow" else "could not save what should outlive it"
    assert said in kept.stderr()
    if way == "stop":
        kept.start()
        assert value(kept) == 1
    assert kept.exec("/info", TOPIC).head["ok"]
