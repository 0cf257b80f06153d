"""A harness around a real Chromium whose hosts are mapped to servers on loopback."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from stringd.http_client.address_policy import AddressPolicy
from stringd.http_client.address_zones import nearest_zone
from stringd.http_client.name_lookup import NameLookup
from stringd.plugin import LoadedBytes, Refusal, Zone
from stringd_web.browser.network_policy import NetworkPolicy, Streams
from stringd_web.browser.page_loading import load_in_browser
from stringd_web.browser.shared_browser import Browser
from stringd_web.cookie_jar import Cookies
from tests.web.server import Site

PUBLIC, LAN = "93.184.215.14", "192.168.7.7"
NO_PORT = 0
_NAMES = ("chromium", "chromium-headless-shell")
_NAMED = os.environ.get("STRINGD_BROWSER")
_INSTALLED = [_NAMED] if _NAMED else [it for it in _NAMES if shutil.which(it)]
# In CI, a missing browser is a failure.
PROGRAMS = _INSTALLED or ["chromium"]

needs_chromium = pytest.mark.skipif(
    not _INSTALLED and "CI" not in os.environ,
    reason="there is no Chromium; on Debian: apt install chromium",
)


@dataclass
class BrowserHarness:
    """Opens pages in a browser with fake names and addresses.

    Of `PUBLIC` and `LAN`, only `open_ports` accept connections; `connected` records the addresses used.
    """

    own_port: int = NO_PORT
    open_ports: set[int] = field(default_factory=set)
    names: dict[str, Iterator[str]] = field(default_factory=dict)
    connected: list[str] = field(default_factory=list)
    cookies: Cookies = field(default_factory=Cookies)
    browser: Browser = field(default_factory=Browser)
    _runner: asyncio.Runner = field(default_factory=asyncio.Runner)

    def open(self, *uris: str, nearest_zone: Zone = Zone.LOOPBACK) -> list[LoadedBytes | BaseException]:
        """Open pages concurrently; `nearest_zone` is that of a typed URL by default."""
        return self._runner.run(self._open(uris, nearest_zone=nearest_zone))

    def read(self, uri: str, *, nearest_zone: Zone = Zone.LOOPBACK) -> str:
        """Return the HTML of one page."""
        return self.load(uri, nearest_zone=nearest_zone).body.decode()

    def load(self, uri: str, *, nearest_zone: Zone = Zone.LOOPBACK) -> LoadedBytes:
        """Open one page."""
        (loaded,) = self.open(uri, nearest_zone=nearest_zone)
        if isinstance(loaded, BaseException):
            raise loaded
        return loaded

    def shown(self, site: Site, body: str) -> str:
        """Serve a page with a body and return the body as read."""
        html = self.read(site.page("/page", f"<!DOCTYPE html><body>{body}"))
        return html.partition("<body>")[2].removesuffix("</body></html>")

    def refused(self, uri: str, *, nearest_zone: Zone = Zone.LOOPBACK) -> Refusal:
        """Open a page and return the refusal."""
        with pytest.raises(Refusal) as refusal:
            self.load(uri, nearest_zone=nearest_zone)
        return refusal.value

    def forget(self) -> None:
        """Reset everything but the browser."""
        self.own_port = NO_PORT
        self.names, self.open_ports, self.connected, self.cookies = {}, set(), [], Cookies()

    def close(self) -> None:
        """Stop the browser."""
        self._runner.run(self.browser.close())
        self._runner.close()

    async def _open(self, uris: Sequence[str], *, nearest_zone: Zone) -> list[LoadedBytes | BaseException]:
        address_policy = AddressPolicy((self.own_port,), NameLookup(self._look_up))
        policies = [
            NetworkPolicy(routes=address_policy, nearest_zone=nearest_zone, connect_to=self._connect)
            for _ in uris
        ]
        loading = [
            load_in_browser(uri, browser=self.browser, policy=policy, cookies=self.cookies)
            for uri, policy in zip(uris, policies, strict=True)
        ]
        return await asyncio.gather(*loading, return_exceptions=True)

    def _look_up(self, host: str) -> Sequence[str]:
        if host not in self.names:
            raise OSError("no such name")
        return [next(self.names[host])]

    async def _connect(self, address: str, port: int) -> Streams:
        self.connected.append(address)
        if nearest_zone(address) is Zone.LOOPBACK:
            return await asyncio.open_connection(address, port)
        if port not in self.open_ports:
            raise ConnectionRefusedError(111, "Connection refused")
        return await asyncio.open_connection("127.0.0.1", port)


@contextmanager
def running_browser(program: str = PROGRAMS[0]) -> Iterator[BrowserHarness]:
    """Run a browser until the end of the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STRINGD_BROWSER", program)
        harness = BrowserHarness()
        try:
            yield harness
        finally:
            harness.close()
