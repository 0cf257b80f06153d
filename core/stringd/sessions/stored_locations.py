"""Places as they are stored, also those that were stored before zones had names."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from stringd.api.load_options import LoadOptions
from stringd.api.sessions import Location
from stringd.api.zones import Zone
from stringd.http_client.addresses import farthest_zone
from stringd.http_client.name_lookup import known_addresses

_WEB = frozenset({"http", "https"})
_BEFORE = "reach"


# Every command stores a history of a hundred places, and all but one have been stored before.
@lru_cache(maxsize=4096)
def plain_place(place: Location) -> dict[str, Any]:
    """Return a place as JSON can hold it."""
    options = place.options
    return {
        "uri": place.uri,
        "title": place.title,
        "block": place.block,
        "part": place.part,
        "zone": options.nearest_zone,
        "full": options.full,
        "options": sorted(options.flags),
    }


def place_of(plain: dict[str, Any]) -> Location:
    """Return the place that was stored, or raise `ValueError` or `TypeError` where it is none."""
    known = dict(plain)
    could_reach = known.pop(_BEFORE, False)
    zone = known.pop("zone") if "zone" in known else _zone_before(str(known.get("uri")), could_reach)
    flags, full = frozenset(known.pop("options", ())), known.pop("full", False)
    return Location(**known, options=LoadOptions(nearest_zone=Zone(zone), full=full, flags=flags))


def _zone_before(uri: str, could_reach: bool) -> Zone:
    """Return the zone of a document of which only that is known whether it could lead inside.

    A name may lead to this machine today and have led into a private network then.
    """
    if not could_reach:
        return Zone.PUBLIC
    parts = urlsplit(uri)
    if parts.scheme not in _WEB:
        return Zone.LOOPBACK
    addresses = known_addresses(parts.hostname or "")
    return min(map(farthest_zone, addresses)) if addresses else Zone.PRIVATE
