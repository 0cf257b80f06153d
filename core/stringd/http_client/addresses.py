"""Which zone an address lies in, whatever it is wrapped in."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

from stringd.api.zones import Zone

Address: TypeAlias = IPv4Address | IPv6Address

# The only space that is given out for public use; what translates IPv4 lies beside it.
_PUBLIC_IPV6 = IPv6Network("2000::/3")
_TRANSLATED = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")
# What Python's own table does not hold in every version.
_SPECIAL = (
    IPv4Network("192.0.0.0/24"),
    IPv4Network("192.88.99.0/24"),
    IPv6Network("2001::/23"),
    IPv6Network("3fff::/20"),
)
_TEREDO = IPv6Network("2001::/32")


def is_address(host: str) -> bool:
    """Whether a host is an address, in the spelling that URLs have once they are read."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def nearest_zone(address: str) -> Zone:
    """Return the nearest zone that a request to an address may come to, by what it carries."""
    return max(map(_zone, _with_carried(address)))


def farthest_zone(address: str) -> Zone:
    """Return the farthest zone that an answer from an address may come from."""
    return min(map(_zone, _with_carried(address)))


def _with_carried(address: str) -> Iterator[Address]:
    outer = ip_address(address.partition("%")[0])
    if isinstance(outer, IPv4Address):
        yield outer
    elif outer.ipv4_mapped:
        # Another spelling, by which nobody is asked to pass anything on.
        yield outer.ipv4_mapped
    else:
        yield outer
        yield from _carried(outer)


def _carried(address: IPv6Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses that an IPv6 address stands for, or goes to."""
    if address.sixtofour:
        yield address.sixtofour
    if address.teredo:
        yield from address.teredo
    if address in _TRANSLATED or (address in _COMPATIBLE and int(address) > 1):
        yield IPv4Address(int(address) & 0xFFFFFFFF)


def _zone(address: Address) -> Zone:
    if address.is_loopback or address.is_unspecified:
        return Zone.LOOPBACK
    return Zone.PUBLIC if _is_global(address) else Zone.PRIVATE


def _is_global(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        if address in _TRANSLATED or address in _TEREDO:
            return True
        if address not in _PUBLIC_IPV6:
            return False
    special = any(address in it for it in _SPECIAL)
    return address.is_global and not address.is_multicast and not special
