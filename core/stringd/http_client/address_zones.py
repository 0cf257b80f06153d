"""Network zones of IP addresses, including IPv4 addresses embedded in IPv6 addresses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

from stringd.api.zones import Zone

Address: TypeAlias = IPv4Address | IPv6Address

# The only block allocated for global unicast; the IPv4 translation prefixes lie outside of it.
_PUBLIC_IPV6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_IPV4_COMPATIBLE = IPv6Network("::/96")
# Special-purpose blocks that `is_global` does not know in every version of Python.
_SPECIAL_PURPOSE = (
    IPv4Network("192.0.0.0/24"),
    IPv4Network("192.88.99.0/24"),
    IPv6Network("2001::/23"),
    IPv6Network("3fff::/20"),
)
_TEREDO = IPv6Network("2001::/32")
# Each request asks three times.
_MOST_REMEMBERED = 1024


@lru_cache(_MOST_REMEMBERED)
def is_address(host: str) -> bool:
    """Whether a host is an IP address, as normalized by URL parsing."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


@lru_cache(_MOST_REMEMBERED)
def nearest_zone(address: str) -> Zone:
    """Return the nearest zone that a request to an address may reach, embedded addresses included."""
    return max(map(_zone, _with_embedded(address)))


@lru_cache(_MOST_REMEMBERED)
def farthest_zone(address: str) -> Zone:
    """Return the farthest zone that a response from an address may come from."""
    return min(map(_zone, _with_embedded(address)))


def _with_embedded(address: str) -> Iterator[Address]:
    outer = ip_address(address.partition("%")[0])
    if isinstance(outer, IPv4Address):
        yield outer
    elif outer.ipv4_mapped:
        # Only another notation: no gateway forwards it.
        yield outer.ipv4_mapped
    else:
        yield outer
        yield from _embedded(outer)


def _embedded(address: IPv6Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses embedded in an IPv6 address."""
    if address.sixtofour:
        yield address.sixtofour
    if address.teredo:
        yield from address.teredo
    if address in _NAT64 or (address in _IPV4_COMPATIBLE and int(address) > 1):
        yield IPv4Address(int(address) & 0xFFFFFFFF)


def _zone(address: Address) -> Zone:
    if address.is_loopback or address.is_unspecified:
        return Zone.LOOPBACK
    return Zone.PUBLIC if _is_global(address) else Zone.PRIVATE


def _is_global(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        if address in _NAT64 or address in _TEREDO:
            return True
        if address not in _PUBLIC_IPV6:
            return False
    special = any(address in it for it in _SPECIAL_PURPOSE)
    return address.is_global and not address.is_multicast and not special
