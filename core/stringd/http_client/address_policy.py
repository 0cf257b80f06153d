"""Which addresses a request may connect to: hosts are resolved once and checked by zone."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from stringd.api.zones import Zone, ZoneLimit
from stringd.errors import ErrorCode, HttpFailed, Refusal
from stringd.http_client.address_zones import farthest_zone, nearest_zone
from stringd.http_client.name_lookup import NameLookup

_PAGE_ORIGIN = {Zone.PUBLIC: "the network", Zone.PRIVATE: "a private network"}
_HOST_LOCATION = {Zone.PRIVATE: "is in a private network", Zone.LOOPBACK: "is this machine"}
_REMEDY = "A URL that is typed may, and so may a page from a file."
_REMEDIES = {
    Zone.PUBLIC: (_REMEDY,),
    Zone.PRIVATE: (_REMEDY, "--confirm lets a link, a form or an action do it."),
}
_REACHED = {Zone.PUBLIC: "public addresses", Zone.PRIVATE: "other machines"}


class Route(Struct, frozen=True, kw_only=True):
    """A resolved host; connecting only to these addresses rules out DNS rebinding."""

    host: str
    addresses: tuple[str, ...]

    @property
    def zone(self) -> Zone:
        """The zone of responses: the farthest zone of any of the addresses."""
        return min(map(farthest_zone, self.addresses))

    @property
    def nearest(self) -> Zone:
        """The nearest zone that a request may reach."""
        return max(map(nearest_zone, self.addresses))


class AddressPolicy:
    """Resolves hosts and refuses those too near; never admits the daemon's `own_ports`."""

    def __init__(
        self, own_ports: Collection[int], lookups: NameLookup, limit: ZoneLimit | None = None
    ) -> None:
        self._own_ports = own_ports
        self._lookups = lookups
        self._limit = limit

    async def route(self, host: str, port: int, *, nearest_zone: Zone, own: bool = False) -> Route:
        """Resolve a host; refuse one that is nearer than `nearest_zone`, or than the limit if not `own`."""
        addresses = await self._lookups.addresses(host)
        if not addresses:
            raise HttpFailed(f"no such host: {host}")
        route = Route(host=host, addresses=addresses)
        if port in self._own_ports and route.nearest is Zone.LOOPBACK:
            raise Refusal(
                ErrorCode.NOT_TRUSTED, f"{host}:{port} is stringd itself, which is never asked for a page."
            )
        if self._limit and not own and route.nearest > self._limit.nearest_zone:
            raise _refuse_beyond(route, self._limit)
        if route.nearest > nearest_zone:
            raise _refuse_near(route, nearest_zone)
        return route


def _refuse_beyond(route: Route, limit: ZoneLimit) -> Refusal:
    """Return the refusal of a host that is nearer than the daemon may reach."""
    reached = _REACHED[limit.nearest_zone]
    message = f"Only {reached} are reached, and {route.host} {_HOST_LOCATION[route.nearest]}."
    return Refusal(ErrorCode.NOT_TRUSTED, message, limit.reason)


def _refuse_near(route: Route, nearest_zone: Zone) -> Refusal:
    """Return the refusal of a host that is nearer than the page that links to it."""
    page, host = (
        f"A page from {_PAGE_ORIGIN[nearest_zone]}",
        f"{route.host}, which {_HOST_LOCATION[route.nearest]}",
    )
    message = f"{page} may not reach {host}."
    return Refusal(ErrorCode.NOT_TRUSTED, message, *_REMEDIES[nearest_zone])
