"""A real Chromium, led to hosts that are where a test says: what is public is on this machine."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from stringd.http_client.address_policy import AddressPolicy
from stringd.http_client.addresses import nearest_zone
from stringd.http_client.name_lookup import NameLookup
from stringd.plugin import LoadedBytes, Refusal, Zone
from stringd_web.browser.network_policy import NetworkPolicy, Streams
from stringd_web.browser.page_loading import load_in_browser
from stringd_web.browser.shared_browser import Browser
from stringd_web.cookies import Cookies
from tests.web.server import Site

PUBLIC, LAN = "93.184.215.14", "192.168.7.7"
NO_PORT = 0
_NAMES = ("chromium", "chromium-headless-shell")
_NAMED = os.environ.get("STRINGD_BROWSER")
_INSTALLED = [_NAMED] if _NAMED else [it for it in _NAMES if shutil.which(it)]
# Where there must be one, its absence is a failure.
PROGRAMS = _INSTALLED or ["chromium"]

needs_chromium = pytest.mark.skipif(
    not _INSTALLED and "CI" not in os.environ,
    reason="there is no Chromium; on Debian: apt install chromium",
)


@dataclass
class Sight:
    """What a browser makes of pages.

    `PUBLIC` and `LAN` are machines on which only `open_ports` are open; `connected` is what was connected to.
    """

    own_port: int = NO_PORT
    open_ports: set[int] = field(default_factory=set)
    names: dict[str, Iterator[str]] = field(default_factory=dict)
    connected: list[str] = field(default_factory=list)
    cookies: Cookies = field(default_factory=Cookies)
    browser: Browser = field(default_factory=Browser)
    _runner: asyncio.Runner = field(default_factory=asyncio.Runner)

    def open(self, *uris: str, reach: Zone = Zone.LOOPBACK) -> list[LoadedBytes | BaseException]:
        """Open pages side by side, each as if it had been typed, or else linked to by a public page."""
        return self._runner.run(self._open(uris, reach=reach))

    def read(self, uri: str, *, reach: Zone = Zone.LOOPBACK) -> str:
        """Return the HTML of one page."""
        return self.load(uri, reach=reach).body.decode()

    def load(self, uri: str, *, reach: Zone = Zone.LOOPBACK) -> LoadedBytes:
        """Open one page."""
        (loaded,) = self.open(uri, reach=reach)
        if isinstance(loaded, BaseException):
            raise loaded
        return loaded

    def shown(self, site: Site, body: str) -> str:
        """Have a site serve a page with a body, and return what is inside of the body when it is read."""
        html = self.read(site.page("/page", f"<!DOCTYPE html><body>{body}"))
        return html.partition("<body>")[2].removesuffix("</body></html>")

    def refused(self, uri: str, *, reach: Zone = Zone.LOOPBACK) -> Refusal:
        """Return why a page is not opened."""
        with pytest.raises(Refusal) as refusal:
            self.load(uri, reach=reach)
        return refusal.value

    def forget(self) -> None:
        """Be as at the start, but for the browser."""
        self.own_port = NO_PORT
        self.names, self.open_ports, self.connected, self.cookies = {}, set(), [], Cookies()

    def close(self) -> None:
        """End the browser."""
        self._runner.run(self.browser.close())
        self._runner.close()

    async def _open(self, uris: Sequence[str], *, reach: Zone) -> list[LoadedBytes | BaseException]:
        networks = AddressPolicy(self.own_port, NameLookup(self._look_up))
        borders = [NetworkPolicy(routes=networks, reach=reach, connect_to=self._connect) for _ in uris]
        loading = [
            load_in_browser(uri, browser=self.browser, policy=policy, cookies=self.cookies)
            for uri, policy in zip(uris, borders, strict=True)
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
def sight(program: str = PROGRAMS[0]) -> Iterator[Sight]:
    """Have a browser of one's own until the end of the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STRINGD_BROWSER", program)
        seeing = Sight()
        try:
            yield seeing
        finally:
            seeing.close()
