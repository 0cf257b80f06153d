"""Access as a real browser sees it: links, other ports of the machine, restarts, and signing out."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.console.chromium import Tab, needs_chromium
from tests.console.signing_in import SignedIn, console_link, sign_in, signed_in
from tests.protocol.waits import eventually

pytestmark = [needs_chromium, pytest.mark.timeout(90)]
SECRET = "very-secret-name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A web server of an agent on another port of the same machine."""

    url: str
    cookies: list[str]


@pytest.fixture
def neighbour() -> Iterator[Neighbour]:
    seen = list[str]()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>an app</title><body>")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Neighbour(url=f"http://127.0.0.1:{server.server_port}", cookies=seen)
    server.shutdown()
    thread.join()
    server.server_close()


def outcome(tab: Tab, script: str) -> str:
    """Run an asynchronous function's body, and return its outcome or its error as a text."""
    return str(tab.run(f"(async () => {{ {script} }})().then(String, (it) => 'failed: ' + it)"))


@pytest.mark.requirement("console.access.same_origin", "console.access.key", "console.access.no_cors")
def test_page_of_another_port_neither_reads_nor_acts(
    tab: Tab, operated: DaemonProcess, neighbour: Neighbour
) -> None:
    operated.exec("/info", f"file:{SECRET}")
    tab.wait_text(SECRET)
    console = f"{operated.url}/console"
    tab.open(f"{neighbour.url}/app")
    read = "return (await fetch('{}', {})).text()"
    for options in ("{credentials: 'include'}", "{mode: 'no-cors', credentials: 'include'}"):
        for path in ("topics", "live?path=/console/topics", "static/console.js"):
            shown = outcome(tab, read.format(f"{console}/{path}", options))
            assert shown in {"failed: TypeError: Failed to fetch", ""}, path
    post = "{method: 'POST', credentials: 'include', mode: %s, body: '{}'}"
    for mode in ("'cors'", "'no-cors'"):
        assert "failed" in outcome(tab, f"return fetch('{console}/sign-out', {post % mode})")
    keyed = "{method: 'POST', credentials: 'include', headers: {'X-Console-Key': 'x'}}"
    assert "failed" in outcome(tab, f"return fetch('{console}/sign-out', {keyed})")
    framed = (
        f"const frame = document.createElement('iframe'); frame.src = '{console}/topics'; "
        "document.body.append(frame); await new Promise((done) => frame.onload = done); "
        "return frame.contentDocument?.body?.innerText ?? 'closed'"
    )
    assert SECRET not in outcome(tab, framed)
    opened = f"const other = window.open('{console}/topics'); return other.document.body.innerText"
    assert SECRET not in outcome(tab, opened)
    # The browser gives its cookie away to any port; without the key, it is worth nothing.
    outcome(tab, "return fetch('/console/steal')")
    stolen = next(it for it in neighbour.cookies if f"stringd_console_{operated.port}=" in it)
    thief = SignedIn(daemon=operated, cookie=stolen, key="")
    for headers in ({"Cookie": stolen}, thief.headers):
        for path in ("/console/topics", "/console/live?path=/console/topics"):
            assert SECRET not in operated.request("GET", path, headers=headers).text
    assert thief.act("topics/close", user="default", topic=f"file:{SECRET}").status == 401
    # All of this has not disturbed the person, though the browser complained, and showed pages of its own.
    tab.complaints.clear()
    tab.requests.clear()
    tab.open(f"{console}/topics")
    tab.wait_text(SECRET)


@pytest.mark.requirement("console.access.link")
def test_link_leaves_no_token_behind(open_tab: Callable[[], Tab], operated: DaemonProcess) -> None:
    link, tab = console_link(operated), open_tab()
    ticket = link.partition("=")[2]
    tab.open(link)
    tab.wait_text("Live", "#connection")
    # Chromium hears of a replaced address a moment after the page does.
    eventually(lambda: ticket not in json.dumps(tab.call("Page.getNavigationHistory")["entries"][1:]))
    assert ticket not in json.dumps(tab.requests[1:])
    assert ticket not in tab.run("document.documentElement.outerHTML + document.referrer + document.cookie")
    again = open_tab()
    again.open(link)
    again.wait_text("This link is unknown, used or expired", "#sign-in-failure")
    assert "This browser is not signed in" in again.text("main")


@pytest.mark.requirement("console.access.link")
def test_link_is_used_up_by_a_browser_that_is_signed_in(tab: Tab, operated: DaemonProcess) -> None:
    link = console_link(operated)
    tab.open(link)
    tab.wait_text("Live", "#connection")
    reply = operated.request(
        "POST", "/console/sign-in", {"ticket": link.partition("=")[2]}, {"Origin": operated.url}
    )
    assert reply.status == 403
    tab.open(link)
    tab.wait_text("This link is unknown, used or expired", "#notices")
    tab.wait_text("Live", "#connection")


@pytest.mark.requirement("console.access.key")
def test_browser_that_lost_its_key_is_told_to_sign_in(tab: Tab, operated: DaemonProcess) -> None:
    tab.run("localStorage.clear()")
    tab.open(f"{operated.url}/console/topics")
    tab.wait_text("This browser is not signed in", "main")


@pytest.mark.requirement("console.access.sign_out", "console.access.second_browser")
def test_browser_signs_out_and_the_other_one_stays(
    tab: Tab, open_tab: Callable[[], Tab], operated: DaemonProcess
) -> None:
    other = open_tab()
    sign_in(other, operated)
    tab.press("?")
    tab.click("[data-posts='/console/sign-out']")
    tab.wait_text("This browser is not signed in", "main")
    operated.exec("/info", "file:still-there")
    other.wait_text("still-there", "#topics")


@pytest.mark.long
@pytest.mark.requirement("console.access.restart")
def test_page_says_that_the_daemon_was_restarted(open_tab: Callable[[], Tab], tmp_path: Path) -> None:
    daemon = DaemonProcess(tmp_path, (), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    tab = open_tab()
    sign_in(tab, daemon)
    daemon.kill()
    tab.wait_text("The connection to the daemon is lost", "#away")
    daemon.start()
    tab.wait_text("Type `stringd console` in a terminal", "#away")
    sign_in(tab, daemon)
    signed_in(daemon)
    daemon.kill()
