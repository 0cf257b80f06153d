"""Pages are limited in time, memory and navigations; what was read until then is shown."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from stringd.plugin import LoadedBytes
from tests.web.chromium_pages import BrowserHarness, needs_chromium
from tests.web.server import Received, Site, answer, redirect

pytestmark = [needs_chromium, pytest.mark.long, pytest.mark.timeout(90)]

STILL_CHANGING = "[!] The page was still changing after 12 s: this is its state at that time."
MOST_SECONDS = 20.0


@pytest.mark.requirement("browser.silent")
@pytest.mark.parametrize(
    "script",
    [
        "open('/other'); open('about:blank'); open('/other', '_blank', 'popup')",
        "Notification.requestPermission(); navigator.geolocation.getCurrentPosition(() => p.append('found'))",
        "navigator.mediaDevices?.getUserMedia({audio: true}); navigator.clipboard?.readText()",
        "const a = document.createElement('a'); a.href = '/file'; a.download = 'x'; a.click()",
        "location = '/file'",
        "document.write('<iframe src=/file></iframe>')",
    ],
    ids=["popups", "permissions", "devices", "download", "download by going there", "download in a frame"],
)
def test_forbidden_actions_of_a_page(chromium: BrowserHarness, site: Site, script: str) -> None:
    site.serve("/file", answer(b"\0" * 99, media_type="application/octet-stream"))
    html = chromium.shown(site, f"<p id=p>Still here.</p><script>{script}</script>")
    assert '<p id="p">Still here.</p>' in html
    assert "/other" not in site.paths


@pytest.mark.requirement("browser.steps")
def test_endless_navigation_by_script(chromium: BrowserHarness, site: Site) -> None:
    html = chromium.shown(site, "<p>Again.</p><script>location.reload()</script>")
    assert "<p>Again.</p>" in html
    assert "navigated more than" in html
    assert site.paths.count("/page") == 11


@pytest.mark.requirement("browser.steps")
def test_endless_redirects(chromium: BrowserHarness, site: Site) -> None:
    refusal = chromium.refused(site.serve("/", redirect("/")))
    assert refusal.code == "LOAD_ERROR"
    assert "navigated more than" in refusal.message


@pytest.mark.requirement("browser.rest")
@pytest.mark.parametrize(
    "body",
    [
        "<p id=p>0</p><script>let n = 0; setInterval(() => p.textContent = ++n, 20)</script>",
        "<p>Waits</p><script>fetch('/never')</script>",
        "<p>Listens</p><script>new EventSource('/events')</script>",
        "<p>Toils</p><script>setInterval(() => { for (let t = Date.now(); Date.now() < t + 99;); })</script>",
        "<p>Moves</p><script>(function f() { requestAnimationFrame(f); })()</script>",
    ],
    ids=["clock", "long poll", "events", "busy", "animation"],
)
def test_a_partly_idle_page_is_read_without_notice(chromium: BrowserHarness, site: Site, body: str) -> None:
    def events(_: Received) -> Iterator[bytes]:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        return site.slowly([head, *[b"data: x\n\n"] * 500], 0.1)

    site.serve("/events", events)
    with site.holding("/never"):
        html = chromium.shown(site, body)
    assert html.startswith("<p")
    assert STILL_CHANGING not in html


@pytest.mark.requirement("browser.restless", "browser.time")
@pytest.mark.parametrize(
    "script",
    [
        "while (true) {}",
        "while (true) alert(1)",
        "setInterval(() => { document.body.append('x'); fetch('/' + Math.random()) }, 20)",
    ],
    ids=["loop", "dialogs", "work for ever"],
)
def test_a_page_that_never_becomes_idle_is_read_with_a_notice(
    chromium: BrowserHarness, site: Site, script: str
) -> None:
    began = time.monotonic()
    html = chromium.shown(site, f"<main><p>Before.</p></main><script>{script}</script>")
    assert time.monotonic() - began < MOST_SECONDS
    assert f"<main><p><strong>{STILL_CHANGING}</strong></p><p>Before.</p></main>" in html


@pytest.mark.requirement("browser.memory")
def test_a_page_that_exhausts_memory(chromium: BrowserHarness, site: Site) -> None:
    script = "const all = []; while (true) all.push(new Uint8Array(1e7).fill(1))"
    refusal = chromium.refused(site.page("/", f"<p>Mine.<script>{script}</script>"))
    assert (refusal.code, "out of memory" in refusal.message) == ("LOAD_ERROR", True)
    assert chromium.shown(site, "<p>After.") == "<p>After.</p>"


@pytest.mark.requirement("browser.failed")
def test_a_page_that_is_too_large(chromium: BrowserHarness, site: Site) -> None:
    script = (
        "const p = document.createElement('p'); p.hidden = true; p.append('x'.repeat(11e6)); body.append(p)"
    )
    refusal = chromium.refused(site.page("/", f"<body id=body><script>{script}</script>"))
    assert (refusal.code, refusal.message) == ("LOAD_ERROR", f"Larger than 10 MiB: {site.url}/")


def test_a_page_that_is_deep(chromium: BrowserHarness, site: Site) -> None:
    script = """let at = document.body;
        for (let i = 0; i < 3000; i++) at = at.appendChild(document.createElement("b"));"""
    assert chromium.shown(site, f"<script>{script}</script>") == "<b>" * 3000 + "</b>" * 3000


@pytest.mark.requirement("browser.time")
def test_an_unresponsive_server(chromium: BrowserHarness, site: Site) -> None:
    uri = site.page("/x", "")
    with site.holding("/x"):
        refusal = chromium.refused(uri)
    assert (refusal.code, refusal.message) == ("LOAD_ERROR", f"No answer in time: {uri}")


@pytest.mark.requirement("browser.one")
def test_concurrent_pages_wait_for_a_free_slot(chromium: BrowserHarness, site: Site) -> None:
    uris = [site.page(f"/{number}", f"<p>Page {number}.") for number in range(6)]
    loaded = chromium.open(*uris)
    bodies = [it.body.decode() for it in loaded if isinstance(it, LoadedBytes)]
    assert [f"Page {number}." in body for number, body in enumerate(bodies)] == [True] * 6
