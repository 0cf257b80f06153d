"""A third-party topic type: life cycle, command and plain text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess


@pytest.fixture
def garden(own_garden: DaemonProcess) -> DaemonProcess:
    """These tests read what their daemon has written."""
    return own_garden


def notes(garden: DaemonProcess) -> list[str]:
    """What the plots have noted of their lives."""
    path = garden.data_dir / "plots.txt"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def test_text_and_commands_reach_the_same_topic(string: Callable[..., str]) -> None:
    assert string("plot:north", "carrot") == "Sown: carrot\n"
    assert string("plot:north", "red beet") == "Sown: red beet\n"
    assert "seeds: carrot, red beet" in string("plot:north", "//info").splitlines()
    assert string("plot:north", "//harvest") == "Harvest\n---\ncarrot\nred beet\n"
    assert string("plot:north", "//harvest") == (
        "ERROR(NOTHING_SOWN): Nothing grows here.\nType the name of a seed.\n"
    )


def test_topic_is_opened_at_its_first_command(garden: DaemonProcess) -> None:
    made = garden.request("POST", "/sessions", {"user_id": "default", "topic": "plot:north"})
    assert made.json() == {"user_id": "default", "topic": "plot:north", "topic_type": "plot", "created": True}
    assert notes(garden) == []
    garden.exec("carrot", "plot:north")
    garden.exec("beet", "plot:north")
    assert notes(garden) == ["opened plot:north"]


def test_close_ends_the_topic_and_next_command_reopens(garden: DaemonProcess) -> None:
    garden.exec("carrot", "plot:north")
    assert garden.exec("//close", "plot:north").content == "re: //close\nClosed: plot:north"
    assert notes(garden) == ["opened plot:north", "closed plot:north"]
    assert garden.exec("//harvest", "plot:north").head["code"] == "NOTHING_SOWN"
    assert notes(garden)[2:] == ["opened plot:north"]


def test_deleting_a_session_ends_only_its_topic(garden: DaemonProcess) -> None:
    garden.exec("carrot", "plot:north")
    garden.exec("beet", "plot:south")
    assert garden.request("DELETE", "/sessions/default/plot:north").json()["deleted"] is True
    assert notes(garden) == ["opened plot:north", "opened plot:south", "closed plot:north"]
    assert garden.exec("//harvest", "plot:south").content.endswith("\nbeet")


def test_deleting_a_user_ends_its_topics(garden: DaemonProcess) -> None:
    garden.exec("carrot", "plot:north")
    assert garden.request("DELETE", "/users/default").json()["deleted"] is True
    assert notes(garden) == ["opened plot:north", "closed plot:north"]


@pytest.mark.parametrize("way", ["signal", "request"])
def test_stopping_the_daemon_ends_topics(garden: DaemonProcess, way: str) -> None:
    garden.exec("carrot", "plot:north")
    if way == "request":
        assert garden.request("POST", "/shutdown").json()["ok"] is True
        assert garden.process.wait(10) == 0
    else:
        assert garden.stop() == 0
    assert notes(garden) == ["opened plot:north", "closed plot:north"]


def test_commands_are_per_topic_type(garden: DaemonProcess) -> None:
    assert "/harvest" in garden.exec("//help", "plot:north").content
    assert "/harvest" not in garden.exec("/help").content
    refused = garden.exec("//rake leaves", "plot:north")
    assert refused.head["code"] == "COMMAND_UNSUPPORTED"
    assert refused.content.endswith("//help lists the commands.")
