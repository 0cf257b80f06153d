"""Pages in the browser reach only what `/open` may reach, whatever their scripts try."""

from __future__ import annotations

import itertools
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.api.zones import Zone
from tests.web.chromium_pages import LAN, PROGRAMS, PUBLIC, BrowserHarness, needs_chromium, running_browser
from tests.web.server import Received, Site, chunked, redirect
from tests.web.trap import Trap, trap

pytestmark = [needs_chromium, pytest.mark.long, pytest.mark.timeout(120)]

HOSTILE = Path(__file__).with_name("hostile.html").read_text(encoding="utf-8")
TLS_HELLO = "\x16\x03"
# The ways that a page which may go there does go, so that none of those that may not is there in vain.
WAYS = {
    *("/stylesheet", "/prefetch", "/preload", "/modulepreload", "/import", "/background", "/image"),
    *("/redirected-image", "/script", "/frame", "/redirected-frame", "/refreshed-frame", "/object", "/embed"),
    *("/video", "/audio", "/svg-image", "/form", "/followed", "/fetch", "/fetch-cors", "/fetch-put"),
    *("/redirected-fetch", "/xhr", "/xhr-sync", "/beacon", "/events", "/socket", "/worker", "/worker-socket"),
    *("/imported", "/new-image", "/host-localhost", "/host-a.localhost", "/host-127.1", "/host-2130706433"),
    *("/socket-localhost", "/host-private.example"),
}


@pytest.fixture
def caught() -> Iterator[Trap]:
    with trap() as set_up:
        yield set_up


@pytest.fixture
def chromium(chromium: BrowserHarness, site: Site) -> BrowserHarness:
    """A browser that sees the site as a public one too, by the name `public.example`."""
    chromium.names, chromium.open_ports = names(), {site.port}
    return chromium


def public(site: Site, path: str) -> str:
    return f"http://public.example:{site.port}{path}"


@pytest.fixture(params=PROGRAMS)
def harness(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[BrowserHarness]:
    """Each browser that is there."""
    with running_browser(request.param) as ready:
        yield ready
    assert [it for it in caplog.records if it.levelno >= logging.ERROR] == []


@pytest.fixture(params=["network of its own", "network of the machine"])
def network(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Namespaces that can be had, and none, as in many containers."""
    if request.param == "network of the machine":
        monkeypatch.setattr(sys, "executable", str(without_namespaces(tmp_path)))


def without_namespaces(folder: Path) -> Path:
    """A Python whose descendants can have no namespace; it keeps the machine's network."""
    script = folder / "python"
    forbid = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"'
    script.write_text(
        f"#!/bin/sh\nexec unshare --map-root-user sh -c '{forbid}' sh {sys.executable} \"$@\"\n",
        encoding="utf-8",
    )
    script.chmod(0o755)
    return script


def hostile_page(site: Site, caught: Trap, host: str) -> str:
    """Serve the page that tries every way to the trap, and return its URL on a host."""
    text = HOSTILE.replace("AT", f"http://127.0.0.1:{caught.port}").replace("PORT", str(caught.port))
    site.page("/hostile", text)
    site.serve("/to", lambda received: redirect(received.target.partition("?")[2]))
    site.page("/worker.js", "fetch(location.search.slice(1) + '/service-worker')", "text/javascript")
    return f"http://{host}:{site.port}/hostile"


def names() -> dict[str, Iterator[str]]:
    return {
        "public.example": itertools.repeat(PUBLIC),
        "lan.example": itertools.repeat(LAN),
        "private.example": itertools.repeat("127.0.0.1"),
        "rebound.example": itertools.chain([PUBLIC], itertools.repeat("127.0.0.1")),
    }


@pytest.mark.requirement("browser.private", "browser.zones")
@pytest.mark.usefixtures("network")
@pytest.mark.parametrize(("host", "address"), [("public.example", PUBLIC), ("lan.example", LAN)])
def test_remote_page_cannot_reach_loopback(
    harness: BrowserHarness, site: Site, caught: Trap, host: str, address: str
) -> None:
    harness.names, harness.open_ports = names(), {site.port}
    text = harness.read(hostile_page(site, caught, host))
    assert "Still here." in text
    assert caught.heard == []
    # A page of the local network may go out, where nobody answers.
    assert set(harness.connected) - {PUBLIC} == {address} - {PUBLIC}


@pytest.mark.requirement("browser.private.typed")
def test_loopback_page_reaches_loopback(harness: BrowserHarness, site: Site, caught: Trap) -> None:
    """Proves that the attempts of the page above would work."""
    harness.names = names()
    text = harness.read(hostile_page(site, caught, "127.0.0.1"))
    assert "Still here." in text
    assert WAYS - caught.paths == set()
    assert any(it.startswith(TLS_HELLO) for it in caught.heard)


@pytest.mark.requirement("browser.private")
def test_public_link_cannot_reach_a_private_network(chromium: BrowserHarness, site: Site) -> None:
    assert chromium.refused(site.page("/", "<p>Mine.</p>"), nearest_zone=Zone.PUBLIC).code == "NOT_TRUSTED"
    assert site.paths == []


@pytest.mark.requirement("browser.private")
def test_public_redirect_cannot_reach_a_private_network(
    chromium: BrowserHarness, site: Site, caught: Trap
) -> None:
    site.serve("/away", redirect(f"http://127.0.0.1:{caught.port}/taken"))
    refusal = chromium.refused(public(site, "/away"))
    assert refusal.code == "NOT_TRUSTED"
    assert "127.0.0.1" in refusal.message
    assert caught.heard == []


@pytest.mark.requirement("browser.private")
@pytest.mark.parametrize(
    "leaving",
    ["<script>location = 'AT'</script>", "<meta http-equiv=refresh content='0;url=AT'>"],
    ids=["script", "meta"],
)
def test_navigation_into_a_private_network_is_blocked(
    chromium: BrowserHarness, site: Site, caught: Trap, leaving: str
) -> None:
    site.page("/", "<p>Before.</p>" + leaving.replace("AT", f"http://127.0.0.1:{caught.port}/taken"))
    loaded = chromium.load(public(site, "/"))
    assert "Before." in loaded.body.decode()
    assert "may not reach 127.0.0.1" in loaded.body.decode()
    assert (loaded.uri, loaded.zone) == (public(site, "/"), Zone.PUBLIC)
    assert caught.heard == []


@pytest.mark.requirement("browser.private")
def test_private_page_redirected_to_public_cannot_return(
    chromium: BrowserHarness, site: Site, other_site: Site, caught: Trap
) -> None:
    start = other_site.serve("/", redirect(public(site, "/public")))
    at = f"http://127.0.0.1:{caught.port}"
    site.page("/public", f"<p>Public.<img src={at}/image><script>fetch('{at}/fetch')</script>")
    loaded = chromium.load(start)
    assert "Public." in loaded.body.decode()
    assert loaded.zone is Zone.PUBLIC
    assert caught.heard == []


@pytest.mark.requirement("browser.zones")
def test_lan_page_cannot_reach_loopback(
    chromium: BrowserHarness, site: Site, other_site: Site, caught: Trap
) -> None:
    chromium.names["lan.example"], lan = itertools.repeat(LAN), f"http://lan.example:{site.port}"
    site.serve("/away", redirect(f"http://127.0.0.1:{caught.port}/taken"))
    site.page("/", f"<p>Before.</p><script>location = 'http://127.0.0.1:{caught.port}/taken'</script>")
    assert chromium.refused(f"{lan}/away").code == "NOT_TRUSTED"
    loaded = chromium.load(f"{lan}/")
    assert "may not reach 127.0.0.1, which is this machine" in loaded.body.decode()
    assert loaded.zone is Zone.PRIVATE
    assert caught.heard == []
    other_site.page("/", f"<iframe src='{lan}/frame'></iframe>")
    site.page("/frame", f"<script>fetch('http://127.0.0.1:{caught.port}/taken')</script>")
    chromium.load(f"{other_site.url}/")
    assert "/frame" not in site.paths
    assert chromium.load(f"{other_site.url}/").zone is Zone.LOOPBACK
    assert caught.heard == []


@pytest.mark.requirement("browser.private.frames")
def test_loopback_page_shows_only_frames_of_its_zone(
    chromium: BrowserHarness, site: Site, other_site: Site
) -> None:
    site.page("/frame", "<p>Inside.</p>")
    other_site.page("/evil", "<p>Evil.</p>")
    chromium.open_ports.add(other_site.port)
    evil = f"http://public.example:{other_site.port}/evil"
    site.page("/", f"<iframe src=/frame></iframe><iframe src='{evil}'></iframe>")
    loaded = chromium.load(f"{site.url}/")
    assert "Inside." in loaded.body.decode()
    assert loaded.zone is Zone.LOOPBACK
    assert other_site.paths == []


@pytest.mark.requirement("browser.own_port")
def test_pages_cannot_reach_the_daemon(chromium: BrowserHarness, site: Site, caught: Trap) -> None:
    chromium.own_port = caught.port
    at = f"http://localhost:{caught.port}"
    site.page(
        "/", f"<p>Here.<img src={at}/image><iframe src={at}/frame></iframe><script src={at}/script></script>"
    )
    assert "Here." in chromium.read(f"{site.url}/")
    assert chromium.refused(f"{at}/typed").code == "NOT_TRUSTED"
    assert caught.heard == []


@pytest.mark.requirement("browser.failed")
def test_page_without_a_host(chromium: BrowserHarness) -> None:
    refusal = chromium.refused("http://nowhere.example/")
    assert (refusal.code, refusal.message) == (
        "LOAD_ERROR",
        "No such host: nowhere.example: http://nowhere.example/",
    )


@pytest.mark.requirement("browser.failed")
def test_unreachable_host(chromium: BrowserHarness) -> None:
    refusal = chromium.refused("http://public.example:4/")
    assert refusal.code == "LOAD_ERROR"
    assert refusal.message == "Connection refused: http://public.example:4/"


@pytest.mark.requirement("browser.memory")
def test_network_traffic_of_a_page_is_limited(chromium: BrowserHarness, site: Site) -> None:
    million = b"x" * 1_000_000
    taken: list[int] = []

    def endless(_: Received) -> Iterator[bytes]:
        def pieces() -> Iterator[bytes]:
            for number in range(1000):
                taken.append(number)
                yield million

        return chunked(pieces(), "application/octet-stream")

    site.serve("/endless", endless)
    site.page(
        "/",
        "<p id=p>Waiting.<script>fetch('/endless').then((it) => it.blob())"
        ".catch(() => p.append('Over.'))</script>",
    )
    assert "Over." in chromium.read(f"{site.url}/")
    assert 50 < len(taken) < 100
