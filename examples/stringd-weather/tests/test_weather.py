"""The app in a running daemon, against a server that answers like the real one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from open_meteo import OpenMeteo

from stringd.testing.process import DaemonProcess

TOPIC = "app:weather"


@pytest.fixture
def service(daemon: DaemonProcess) -> Iterator[OpenMeteo]:
    with OpenMeteo() as running:
        cmd = f'/set $GEOCODING_API = "{running.url}"\n$FORECAST_API = "{running.url}"'
        assert daemon.exec(cmd, TOPIC).head["ok"]
        yield running


def said(daemon: DaemonProcess, cmd: str) -> str:
    return daemon.exec(cmd, TOPIC).content.partition("\n")[2]


def test_page_lists_its_actions(daemon: DaemonProcess) -> None:
    page = said(daemon, "/open app:weather")
    assert "/act.search --name <string>" in page
    assert "/act.now --place <string>" in page
    assert "[Open-Meteo][@open-meteo]" in page
    assert "GET" not in page


def test_search_names_places_and_sets_the_first_as_city(daemon: DaemonProcess, service: OpenMeteo) -> None:
    found = said(daemon, "/act.search Seoul")
    assert found.startswith("# Places called Seoul")
    assert "- @city-1: Seoul, South Korea\n- @city-2: Seoul, South Korea" in found
    assert '{city} = "Seoul"' in said(daemon, "/set")


@pytest.mark.parametrize("call", ["@city-1 2", "--city @city-1 --days 2", "-c @city-1 -d 2"])
def test_forecast_of_a_found_place(daemon: DaemonProcess, service: OpenMeteo, call: str) -> None:
    said(daemon, "/act.search 'new york'")
    table = said(daemon, f"/act.forecast {call}")
    assert table.startswith("# New York\n")
    assert "| 2026-11-18 | 1 | 0 |\n| 2026-11-19 | 2 | 1 |" in table
    path, query = service.queries[-1]
    assert (path, query["latitude"], query["longitude"], query["forecast_days"]) == (
        "/v1/forecast",
        "40.7143",
        "-74.006",
        "2",
    )


def test_current_weather_in_one_call(daemon: DaemonProcess, service: OpenMeteo) -> None:
    assert said(daemon, "/act.now Seoul") == "Seoul, South Korea: 7.5 °C, wind 11.2 km/h"
    assert [path for path, _ in service.queries] == ["/v1/search", "/v1/forecast"]


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("/act.now Nowhere", "NOT_FOUND"),
        ("/act.search --count 5 --", "INVALID_PARAMS"),
        ("/act.search x", "INVALID_PARAMS"),
        ("/act.search Seoul --count 99", "INVALID_PARAMS"),
        ("/act.forecast Seoul", "INVALID_PARAMS"),
        ("/act.tomorrow", "ACTION_NOT_FOUND"),
    ],
)
def test_invalid_requests_are_refused(
    daemon: DaemonProcess, service: OpenMeteo, call: str, code: str
) -> None:
    assert daemon.exec(call, TOPIC).head["code"] == code


def test_unreachable_server_is_reported(daemon: DaemonProcess) -> None:
    daemon.exec('/set $GEOCODING_API = "http://127.0.0.1:1"', TOPIC)
    for call in ("/act.now Seoul", "/act.search Seoul"):
        assert daemon.exec(call, TOPIC).head["code"] == "ACTION_FAILED"
