"""How far a request may go: its host is looked up once, and its addresses are judged."""

from __future__ import annotations

from dataclasses import dataclass

from stringd.api.zones import Zone
from stringd.errors import HttpFailed, Refusal
from stringd.http_client.addresses import farthest_zone, nearest_zone
from stringd.http_client.name_lookup import Lookups

_COMES_FROM = {Zone.PUBLIC: "the network", Zone.PRIVATE: "a private network"}
_LIES = {Zone.PRIVATE: "is in a private network", Zone.LOOPBACK: "is this machine"}
_TYPED = "A URL that is typed may, and so may a page from a file."
_WAYS = {Zone.PUBLIC: (_TYPED,), Zone.PRIVATE: (_TYPED, "--confirm lets a link, a form or an action do it.")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A host, and the addresses that may be connected to in its name: the same name can't lead elsewhere."""

    host: str
    addresses: tuple[str, ...]

    @property
    def zone(self) -> Zone:
        """The zone that an answer comes from: the farthest that an address of the host may lie in."""
        return min(map(farthest_zone, self.addresses))

    @property
    def nearest(self) -> Zone:
        """The zone that a request may come to."""
        return max(map(nearest_zone, self.addresses))


class Networks:
    """Says where requests may go; `own_port` is the daemon's, where they never may."""

    def __init__(self, own_port: int, lookups: Lookups) -> None:
        self._own_port = own_port
        self._lookups = lookups

    async def route(self, host: str, port: int, *, reach: Zone) -> Route:
        """Return the way to a host, or refuse what is nearer than `reach`."""
        addresses = await self._lookups.addresses(host)
        if not addresses:
            raise HttpFailed(f"no such host: {host}")
        route = Route(host=host, addresses=addresses)
        if port == self._own_port and route.nearest is Zone.LOOPBACK:
            raise Refusal("NOT_TRUSTED", f"{host}:{port} is stringd itself, which is never asked for a page.")
        if route.nearest > reach:
            raise _too_near(route, reach)
        return route


def _too_near(route: Route, reach: Zone) -> Refusal:
    """Return the refusal of what lies nearer than whatever leads there."""
    message = f"A page from {_COMES_FROM[reach]} may not reach {route.host}, which {_LIES[route.nearest]}."
    return Refusal("NOT_TRUSTED", message, *_WAYS[reach])
