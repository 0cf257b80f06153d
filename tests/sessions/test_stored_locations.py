"""Locations as they are stored, including those of earlier versions."""

from __future__ import annotations

import json

import pytest

from stringd.api.load_options import LoadOptions
from stringd.api.sessions import Location
from stringd.api.zones import Zone
from stringd.sessions.stored_locations import location_as_json, read_location


@pytest.mark.requirement("web.zones.stored")
@pytest.mark.parametrize("zone", Zone)
def test_stored_location_round_trips(zone: Zone) -> None:
    place = Location(
        uri="http://wiki.lan/",
        title="Wiki",
        block="#a",
        lines=(5, 10),
        part=2,
        options=LoadOptions(nearest_zone=zone, full=True, pages=(3, 5), flags=frozenset({"x"})),
    )
    assert read_location(json.loads(location_as_json(place))) == place


@pytest.mark.requirement("web.zones.stored")
@pytest.mark.parametrize(
    ("uri", "reach", "zone"),
    [
        ("http://wiki.lan/", True, Zone.PRIVATE),
        ("http://10.0.0.1/", True, Zone.PRIVATE),
        ("http://localhost.evil.example/", True, Zone.PRIVATE),
        ("http://127.0.0.1:8080/", True, Zone.LOOPBACK),
        ("http://[::1]:8080/", True, Zone.LOOPBACK),
        ("https://localhost/", True, Zone.LOOPBACK),
        ("http://127.0.0.1:8080/", False, Zone.PUBLIC),
        ("https://public.example/", False, Zone.PUBLIC),
        ("file:///home/you/page.md", True, Zone.LOOPBACK),
        ("app:weather/string.md", True, Zone.LOOPBACK),
        ("app:weather/string.md", False, Zone.PUBLIC),
    ],
)
def test_location_of_an_earlier_version_is_read_strictly(uri: str, reach: bool, zone: Zone) -> None:
    plain: dict[str, object] = {
        "uri": uri,
        "title": None,
        "block": None,
        "part": 1,
        "reach": reach,
        "full": False,
        "options": [],
    }
    assert read_location(plain) == Location(uri=uri, options=LoadOptions(nearest_zone=zone))


@pytest.mark.requirement("web.zones.stored")
@pytest.mark.parametrize("zone", [7, -1, "LOOPBACK", None, [2]])
def test_invalid_zone_is_refused(zone: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        read_location({"uri": "http://wiki.lan/", "zone": zone})
