"""Convert locations to JSON and back, including those stored before zones had names."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from stringd.api.load_options import LoadOptions
from stringd.api.sessions import Location
from stringd.api.zones import Zone
from stringd.http_client.address_zones import farthest_zone
from stringd.http_client.name_lookup import known_addresses

_WEB = frozenset({"http", "https"})
_BEFORE = "reach"


# Every command stores a history of two hundred locations, and all but one have been stored before. They are
# known by identity, since hashing a location takes longer than everything else about storing it.
_MOST_KNOWN = 8192
_known: dict[int, tuple[Location, str]] = {}


def location_as_json(location: Location) -> str:
    """Return a location as JSON text."""
    known = _known.get(id(location))
    if known is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        known = _known[id(location)] = location, _encoded(location)
    return known[1]


def _encoded(location: Location) -> str:
    options = location.options
    return json.dumps(
        {
            "uri": location.uri,
            "title": location.title,
            "block": location.block,
            "lines": location.lines,
            "part": location.part,
            "zone": options.nearest_zone,
            "full": options.full,
            "pages": options.pages,
            "options": sorted(options.flags),
        }
    )


def read_location(plain: dict[str, Any]) -> Location:
    """Return a stored location; raise `ValueError` or `TypeError` if it is invalid."""
    known = dict(plain)
    could_reach = known.pop(_BEFORE, False)
    zone = known.pop("zone") if "zone" in known else _zone_before(str(known.get("uri")), could_reach)
    lines, pages = (tuple(known.pop(name, None) or ()) or None for name in ("lines", "pages"))
    flags, full = frozenset(known.pop("options", ())), known.pop("full", False)
    options = LoadOptions(nearest_zone=Zone(zone), full=full, pages=pages, flags=flags)
    return Location(**known, lines=lines, options=options)


def _zone_before(uri: str, could_reach: bool) -> Zone:
    """Return the zone of a location that was stored by an earlier version, without a zone.

    The name of its host may resolve differently now.
    """
    if not could_reach:
        return Zone.PUBLIC
    parts = urlsplit(uri)
    if parts.scheme not in _WEB:
        return Zone.LOOPBACK
    addresses = known_addresses(parts.hostname or "")
    return min(map(farthest_zone, addresses)) if addresses else Zone.PRIVATE
