"""Zones of addresses, in all notations and embeddings."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stringd.api.zones import Zone
from stringd.http_client.address_zones import farthest_zone, nearest_zone

PUBLIC = ("93.184.216.34", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.32.0.1", "2606:2800:220:1::1")
CARRIERS = {
    "mapped": "::ffff:{0:02x}{1:02x}:{2:02x}{3:02x}",
    "translated": "64:ff9b::{0:02x}{1:02x}:{2:02x}{3:02x}",
    "6to4": "2002:{0:02x}{1:02x}:{2:02x}{3:02x}::1",
}
PRIVATE = {
    "loopback": "127.0.0.1",
    "loopback's end": "127.255.255.254",
    "unspecified": "0.0.0.0",
    "this network": "0.1.2.3",
    "private A": "10.255.0.1",
    "private B": "172.16.0.1",
    "private B's end": "172.31.255.255",
    "private C": "192.168.1.1",
    "link-local": "169.254.169.254",
    "shared": "100.64.0.1",
    "shared's end": "100.127.255.255",
    "protocols": "192.0.0.8",
    "documentation": "192.0.2.1",
    "benchmarks": "198.18.0.1",
    "multicast": "224.0.0.1",
    "reserved": "240.0.0.1",
    "broadcast": "255.255.255.255",
}
PRIVATE_IPV6 = {
    "loopback": "::1",
    "unspecified": "::",
    "unique local": "fd00::1",
    "link-local": "fe80::1",
    "link-local on a link": "fe80::1%eth0",
    "site-local": "fec0::1",
    "multicast": "ff02::1",
    "multicast, global": "ff0e::1",
    "documentation": "2001:db8::1",
    "documentation, new": "3fff::1",
    "discard": "100::1",
    "local translation": "64:ff9b:1::1",
    "compatible": "::7f00:1",
    "compatible, public": "::5db8:d822",
    "unassigned": "4000::1",
    "Teredo client": "2001:0:5db8:d822:0:0:80ff:fffe",
    "Teredo server": "2001:0:7f00:1:0:0:a247:27dd",
}


@pytest.mark.requirement("web.private")
@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address: str) -> None:
    assert nearest_zone(address) is farthest_zone(address) is Zone.PUBLIC


@pytest.mark.requirement("web.private")
@pytest.mark.parametrize(
    "address", [*PRIVATE.values(), *PRIVATE_IPV6.values()], ids=[*PRIVATE, *PRIVATE_IPV6]
)
def test_non_public_addresses(address: str) -> None:
    assert nearest_zone(address) > Zone.PUBLIC


@pytest.mark.requirement("web.private")
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("address", PRIVATE.values(), ids=PRIVATE)
def test_embedded_addresses_determine_the_zone(address: str, carrier: str) -> None:
    assert nearest_zone(carried(carrier, address)) is nearest_zone(address)


@pytest.mark.requirement("web.zones")
@given(number=st.integers(0, 2**32 - 1), host=st.booleans())
def test_any_embedded_address_determines_the_zone(number: int, host: bool) -> None:
    address = str(IPv4Address(number % 2**24 + 127 * 2**24 if host else number))
    zone = nearest_zone(address)
    assert (zone is Zone.LOOPBACK) == (address.startswith("127.") or address == "0.0.0.0")
    assert {nearest_zone(carried(it, address)) for it in CARRIERS} == {zone}
    assert all(farthest_zone(carried(it, address)) <= zone for it in CARRIERS)


@pytest.mark.requirement("web.zones")
def test_only_public_origins_cannot_be_confirmed() -> None:
    assert [it.nearest_allowed() for it in Zone] == [*Zone]
    assert [it.nearest_allowed(confirmed=True) for it in Zone] == [Zone.PUBLIC, Zone.LOOPBACK, Zone.LOOPBACK]


@pytest.mark.requirement("web.zones")
@pytest.mark.parametrize("carrier", CARRIERS)
def test_translated_address_has_the_zone_of_the_translator(carrier: str) -> None:
    """The operator of a translator may answer instead of the requested address."""
    zone = farthest_zone(carried(carrier, "127.0.0.1"))
    assert zone is (Zone.LOOPBACK if carrier == "mapped" else Zone.PUBLIC)


@pytest.mark.requirement("web.private")
def test_translated_public_address_is_public() -> None:
    """IPv6-only networks reach IPv4 addresses through translation."""
    assert nearest_zone(carried("translated", "93.184.216.34")) is Zone.PUBLIC


@pytest.mark.requirement("web.own_port")
@pytest.mark.parametrize(
    "address", ["127.0.0.1", "127.8.8.8", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:0.0.0.0"]
)
def test_loopback_addresses(address: str) -> None:
    assert nearest_zone(address) is farthest_zone(address) is Zone.LOOPBACK
    assert nearest_zone("10.0.0.1") is farthest_zone("10.0.0.1") is Zone.PRIVATE


def carried(carrier: str, address: str) -> str:
    return CARRIERS[carrier].format(*map(int, address.split(".")))
