"""How far a request may go: its host is looked up once, and its addresses are judged."""

from __future__ import annotations

from dataclasses import dataclass

from stringd.errors import HttpFailed, Refusal
from stringd.http.addresses import is_public, leads_here
from stringd.http.lookups import Lookups


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A host, and the addresses that may be connected to in its name: the same name can't lead elsewhere."""

    host: str
    addresses: tuple[str, ...]

    @property
    def private(self) -> bool:
        """Whether it leads to this machine or into a private network, and nowhere else."""
        return not any(map(is_public, self.addresses))


class Networks:
    """Says where requests may go; `own_port` is the daemon's, where they never may."""

    def __init__(self, own_port: int, lookups: Lookups) -> None:
        self._own_port = own_port
        self._lookups = lookups

    async def route(self, host: str, port: int, *, reach: bool) -> Route:
        """Return the way to a host, or refuse; `reach` is whether private networks are within it."""
        addresses = await self._lookups.addresses(host)
        if not addresses:
            raise HttpFailed(f"no such host: {host}")
        if port == self._own_port and any(map(leads_here, addresses)):
            raise Refusal("NOT_TRUSTED", f"{host}:{port} is stringd itself, which is never asked for a page.")
        if not reach and not all(map(is_public, addresses)):
            message = f"A page from the network may not reach {host}, which is in a private network."
            raise Refusal("NOT_TRUSTED", message, "A URL that is typed may, and so may a page from a file.")
        return Route(host=host, addresses=addresses)
