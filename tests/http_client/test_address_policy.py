"""Requests are allowed or refused by the resolved addresses, not by host name."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest
import uvloop

from stringd.api.zones import Zone, ZoneLimit
from stringd.http_client.name_lookup import NameLookup
from tests.http_client.fake_network import OTHER_PUBLIC, PUBLIC, FakeNetwork, named
from tests.web.server import Site, answer

SPELLINGS = (
    "127.0.0.1",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "any.localhost",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "0",
    "１２７.０.０.１",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "inside.example",
)


class Rebinding(FakeNetwork):
    """Every name leads to a public address first, and to this machine from then on."""

    def look_up(self, name: str) -> Sequence[str]:
        return ["127.0.0.1"] if self.connected else [PUBLIC]


@pytest.fixture
def site(site: Site) -> Site:
    """A site that has a page."""
    site.page("/", "here")
    return site


@pytest.mark.requirement("web.private")
@pytest.mark.parametrize("host", [*SPELLINGS, "10.0.0.7", "169.254.169.254", "192.168.0.1", "100.64.1.1"])
def test_public_pages_cannot_reach_private_networks(fake_network: FakeNetwork, site: Site, host: str) -> None:
    fake_network.names["inside.example"] = ["127.0.0.1"]
    assert fake_network.refused(named(site, host), nearest_zone=Zone.PUBLIC)


@pytest.mark.requirement("web.private.never")
@pytest.mark.parametrize("host", [*SPELLINGS, "10.0.0.7", "192.168.0.1", "100.64.1.1", "lan.example"])
def test_limit_holds_for_all_but_own_requests(fake_network: FakeNetwork, site: Site, host: str) -> None:
    fake_network.names = {
        "inside.example": ["127.0.0.1"],
        "lan.example": [PUBLIC, "192.168.0.1"],
        "out.example": [PUBLIC],
    }
    fake_network.zone_limit = ZoneLimit(nearest_zone=Zone.PUBLIC, reason="It is set so.")
    assert fake_network.refused(named(site, host))
    for url, own in ((named(site, "out.example"), False), (named(site, "lan.example"), True)):
        assert fake_network.exchange(url, own=own)[0].body == b"here"
    assert fake_network.refused(named(site, host), own=True, nearest_zone=Zone.PUBLIC)


@pytest.mark.requirement("web.zones")
@pytest.mark.parametrize("host", SPELLINGS)
def test_private_pages_cannot_reach_loopback_by_any_name(
    fake_network: FakeNetwork, site: Site, host: str
) -> None:
    fake_network.names = {
        "inside.example": ["127.0.0.1"],
        "lan.example": ["192.168.0.1"],
        "out.example": [PUBLIC],
    }
    assert fake_network.refused(named(site, host), nearest_zone=Zone.PRIVATE)
    for name in ("lan.example", "out.example"):
        assert fake_network.exchange(named(site, name), nearest_zone=Zone.PRIVATE)[0].body == b"here"


@pytest.mark.requirement("web.zones")
def test_name_in_two_zones_is_restricted_by_both(fake_network: FakeNetwork, site: Site) -> None:
    fake_network.names["both.example"] = ["10.0.0.1", "127.0.0.1"]
    assert fake_network.refused(named(site, "both.example"), nearest_zone=Zone.PRIVATE)
    (response,) = fake_network.exchange(named(site, "both.example"))
    assert response.zone is Zone.PRIVATE


@pytest.mark.requirement("web.private")
def test_one_private_address_makes_a_name_private(fake_network: FakeNetwork, site: Site) -> None:
    fake_network.names["both.example"] = [PUBLIC, "10.0.0.1"]
    assert fake_network.refused(named(site, "both.example"), nearest_zone=Zone.PUBLIC)
    (response,) = fake_network.exchange(named(site, "both.example"))
    assert response.zone is Zone.PUBLIC


@pytest.mark.requirement("web.private.typed")
@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "localhost", "inside.example"])
def test_typed_urls_may_reach_private_networks(fake_network: FakeNetwork, site: Site, host: str) -> None:
    fake_network.names["inside.example"] = ["10.1.2.3"]
    (response,) = fake_network.exchange(named(site, host))
    zone = Zone.PRIVATE if host == "inside.example" else Zone.LOOPBACK
    assert (response.body, response.zone) == (b"here", zone)


@pytest.mark.requirement("web.own_port")
@pytest.mark.parametrize("nearest_zone", Zone)
@pytest.mark.parametrize("host", SPELLINGS)
def test_the_daemon_itself_is_never_reached(
    fake_network: FakeNetwork, site: Site, host: str, nearest_zone: Zone
) -> None:
    fake_network.names["inside.example"] = [PUBLIC, "127.0.0.1"]
    assert fake_network.refused(named(site, host), nearest_zone=nearest_zone, own_port=site.port)


@pytest.mark.requirement("web.pinned")
def test_connections_go_to_the_resolved_address(fake_network: FakeNetwork, site: Site) -> None:
    fake_network.names["site.example"] = [PUBLIC]
    (response,) = fake_network.exchange(named(site, "site.example"), nearest_zone=Zone.PUBLIC)
    assert (fake_network.asked, fake_network.connected) == (["site.example"], [PUBLIC])
    assert (response.zone, site.last.headers["Host"]) == (Zone.PUBLIC, f"site.example:{site.port}")


@pytest.mark.requirement("web.pinned")
def test_a_changed_address_gets_a_new_connection(site: Site) -> None:
    """The owner of a name may make it resolve to this machine after a page was opened."""
    fake_network = Rebinding()
    url = named(site, "site.example")

    fake_network.exchange(url, url)
    assert fake_network.connected == [PUBLIC, "127.0.0.1"]
    assert fake_network.refused(url, nearest_zone=Zone.PUBLIC)


@pytest.mark.requirement("web.connections")
def test_connections_are_reused_for_same_name_and_address(fake_network: FakeNetwork, site: Site) -> None:
    fake_network.names = {"a.example": [PUBLIC], "b.example": [PUBLIC], "c.example": [OTHER_PUBLIC]}
    fake_network.exchange(*(named(site, f"{it}.example") for it in "aabcab"))
    assert [it.connection for it in site.received] == [1, 1, 2, 3, 1, 2]


@pytest.mark.requirement("web.connections")
def test_the_next_address_is_tried_after_a_failure(fake_network: FakeNetwork, site: Site) -> None:
    fake_network.names["site.example"] = ["2606:2800:220:1::1", OTHER_PUBLIC, PUBLIC]
    fake_network.deaf = {"2606:2800:220:1::1", OTHER_PUBLIC}
    (response,) = fake_network.exchange(named(site, "site.example"))
    assert (response.status, fake_network.connected) == (200, fake_network.names["site.example"])
    fake_network.deaf.add(PUBLIC)
    assert fake_network.failure(named(site, "site.example")) == "no connection in time"


@pytest.mark.requirement("web.failed")
@pytest.mark.parametrize("host", ["none.example", "a..example", "x" * 64 + ".example"])
def test_an_unknown_name(fake_network: FakeNetwork, site: Site, host: str) -> None:
    fake_network.names["empty.example"] = []
    assert fake_network.failure(named(site, host)) == f"no such host: {host}"
    assert fake_network.failure(named(site, "empty.example")) == "no such host: empty.example"


@pytest.mark.requirement("web.slow")
def test_hanging_lookups_do_not_block_others() -> None:
    hanging, answered = threading.Event(), ["127.0.0.1"]

    def look_up(host: str) -> list[str]:
        if host.startswith("slow"):
            hanging.wait(10)
        return answered

    async def all_at_once() -> tuple[str, ...]:
        asking = NameLookup(look_up)
        async with asyncio.TaskGroup() as tasks:
            slow = [tasks.create_task(asking.addresses(f"slow-{it}.example")) for it in range(50)]
            found = await asking.addresses("quick.example")
            assert not any(it.done() for it in slow)
            hanging.set()
        return found

    assert uvloop.run(all_at_once()) == tuple(answered)


def test_request_headers_are_sent(fake_network: FakeNetwork, site: Site) -> None:
    site.serve("/echo", lambda received: answer(str(received.headers["X-Mark"])))
    (response,) = fake_network.exchange(site.url + "/echo", headers={"x-mark": "m"})
    assert response.body == b"m"
