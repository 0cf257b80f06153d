"""The limit of requests with invalid tokens, or invalid states of sign-ins, from one address."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network

from stringd_cluster.access.access_refusals import RateLimited
from stringd_cluster.access.request_rate import RequestRate

PER_SECOND = 10.0
BURST = 100.0
_MOST = 4096
_NETWORK = 64


class FailedAttempts:
    """Counts the requests of addresses with what is not known; what is valid gives its attempt back."""

    def __init__(self, clock: Callable[[], float], what: str = "tokens") -> None:
        self._clock = clock
        self._what = what
        self._rates: OrderedDict[str, RequestRate] = OrderedDict()

    def begin(self, peer: str) -> RequestRate:
        """Count an attempt, or raise `RateLimited`."""
        source = _source(peer)
        rate = self._rates.setdefault(source, RequestRate(PER_SECOND, BURST))
        self._rates.move_to_end(source)
        if len(self._rates) > _MOST:
            self._rates.popitem(last=False)
        if wait := rate.take(self._clock()):
            raise RateLimited(f"Too many requests with invalid {self._what} from this address.", wait)
        return rate


def _source(peer: str) -> str:
    """Return what counts as one address: whoever has an IPv6 address has its network."""
    try:
        address = ip_address(peer.partition("%")[0])
    except ValueError:
        return peer
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or ip_network((address, _NETWORK), strict=False))
    return str(address)
