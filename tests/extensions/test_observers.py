"""Third-party observers: notified of each finished command, without its content; contained when they fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.extensions.conftest import StartGarden

FIELDS = {"user_id", "topic", "request_id", "at", "label", "code", "seconds", "size"}


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    return tmp_path / "diary.jsonl"


@pytest.fixture
def observed(start_garden: StartGarden, diary: Path) -> DaemonProcess:
    daemon = start_garden(env={"GARDEN_DIARY": str(diary)})
    daemon.register("default", daemon.home)
    return daemon


def events(diary: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in diary.read_text(encoding="utf-8").splitlines()]


def test_observer_gets_the_outcome_of_each_command(observed: DaemonProcess, diary: Path) -> None:
    observed.exec("/rake leaves")
    observed.exec("/exec exit 3", "web:main")
    observed.exec("/nothing")
    observed.exec("/water forbidden")
    told = [(event["user_id"], event["topic"], event["label"], event["code"]) for event in events(diary)]
    assert told == [
        ("default", "file:main", "/rake leaves", None),
        ("default", "web:main", "/exec exit 3", "EXIT_3"),
        ("default", "file:main", "/nothing", "COMMAND_UNSUPPORTED"),
        ("default", "file:main", "/water forbidden", "FENCED"),
    ]
    assert all(0 <= event["seconds"] < 30 for event in events(diary))


def test_an_event_holds_no_body_and_no_reply(observed: DaemonProcess, diary: Path) -> None:
    observed.exec("/press\nthe body's secret")
    observed.exec("/exec echo the re''ply")
    assert [event.keys() for event in events(diary)] == [FIELDS, FIELDS]
    assert "secret" not in diary.read_text(encoding="utf-8")
    assert "reply" not in diary.read_text(encoding="utf-8")


def test_failing_observers_are_logged_and_contained(observed: DaemonProcess, diary: Path) -> None:
    assert observed.exec("/water").content == "re: /water\nWatered file:main"
    assert observed.exec("/water").head["ok"]
    assert len(events(diary)) == 2
    assert observed.stderr().count("observer mole failed") == 2
    assert observed.stderr().count("observer crow failed") == 2
