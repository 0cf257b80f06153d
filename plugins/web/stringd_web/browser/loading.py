"""`/open uri --browser`: what stands in a page once its scripts have run, for the renderer of every page."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from stringd.plugin import HttpResponse, LoadedBytes, Refusal
from stringd.plugin.text import WebUrl
from stringd_web.browser.chromium import Chromium
from stringd_web.browser.cookies import for_browser, from_browser
from stringd_web.browser.devtools import BrowserGone, Declined
from stringd_web.browser.navigation_guard import NavigationGuard, failed
from stringd_web.browser.network_policy import NetworkPolicy
from stringd_web.browser.proxy import Proxy
from stringd_web.browser.shared_browser import Browser
from stringd_web.browser.tab import BODY_LIMIT, Reading, Tab
from stringd_web.cookies import Cookies
from stringd_web.fetching import read_url
from stringd_web.pages import as_page

TOTAL_SECONDS = 20.0
REST_SECONDS = 12.0
READ_SECONDS = 3.0
_LEAVE_SECONDS = 2.0
_RESTLESS = f"[!] The page had not come to rest after {REST_SECONDS:g} s: this is how it stood then."
_HTML = "text/html; charset=utf-8"
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_PLAINLY = "Open it without --browser."


async def load_in_browser(
    uri: str, *, browser: Browser, border: NetworkPolicy, cookies: Cookies
) -> LoadedBytes:
    """Have the browser show a page, and return its HTML; the topic's cookies go there and come back."""
    asked = str(read_url(uri))
    try:
        async with asyncio.timeout(TOTAL_SECONDS):
            return await _load(asked, browser, border, cookies)
    except TimeoutError:
        raise failed("its scripts keep the browser busy, and it can't be read in time", asked) from None
    except (BrowserGone, Declined) as error:
        refusal = failed("the browser has ended, or gave up", asked)
        raise refusal from error


async def _load(uri: str, browser: Browser, border: NetworkPolicy, cookies: Cookies) -> LoadedBytes:
    end = asyncio.get_running_loop().time() + REST_SECONDS
    gate = NavigationGuard(border=border)
    async with (
        browser.lent(end) as chromium,
        _context(chromium, border) as context,
        _lending(cookies, chromium, context),
    ):
        with contextlib.closing(await Tab.open(chromium.devtools, context, gate)) as tab:
            reading = await _visit(tab, gate, uri, end)
    return as_page(_answer(reading, tab, border), WebUrl.read(reading.uri), uri)


async def _visit(tab: Tab, gate: NavigationGuard, uri: str, end: float) -> Reading:
    await tab.go(uri, end)
    rests = await tab.rest(end)
    if not rests:
        await tab.stop()
    words = [_RESTLESS] * (not rests) + [f"[!] {it.message}" for it in (gate.refusal,) if it]
    async with asyncio.timeout(READ_SECONDS):
        return await tab.read(" ".join(words))


@asynccontextmanager
async def _context(chromium: Chromium, border: NetworkPolicy) -> AsyncIterator[str]:
    """Make what a page keeps to itself, with a way out of its own, and leave nothing of it."""
    proxy = Proxy(border)
    server = await proxy.serve(await chromium.open_listener())
    call = chromium.devtools.call
    try:
        created = await call(
            "Target.createBrowserContext",
            disposeOnDetach=True,
            proxyServer=server,
            proxyBypassList="<-loopback>",
        )
        context = created["browserContextId"]
        try:
            await call("Browser.grantPermissions", permissions=[], browserContextId=context)
            await call("Browser.setDownloadBehavior", behavior="deny", browserContextId=context)
            yield context
        finally:
            await _leave(chromium, context)
    finally:
        await proxy.close()


@asynccontextmanager
async def _lending(cookies: Cookies, chromium: Chromium, context: str) -> AsyncIterator[None]:
    """Have the browser keep the topic's cookies meanwhile, but for those that it can do nothing with."""
    call = chromium.devtools.call
    declined = []
    for cookie in cookies:
        try:
            await call("Storage.setCookies", browserContextId=context, cookies=[for_browser(cookie)])
        except Declined:
            declined.append(cookie)
    yield
    kept = await call("Storage.getCookies", browserContextId=context)
    cookies.renew([*declined, *(from_browser(it) for it in kept["cookies"] if "partitionKey" not in it)])


async def _leave(chromium: Chromium, context: str) -> None:
    try:
        async with asyncio.timeout(_LEAVE_SECONDS):
            await chromium.devtools.call("Target.disposeBrowserContext", browserContextId=context)
    except (TimeoutError, BrowserGone, Declined):
        # Whatever it is busy with, no page may outlive its command.
        await chromium.close()


def _answer(reading: Reading, tab: Tab, border: NetworkPolicy) -> HttpResponse:
    """Return what the page has become as what a server might have sent."""
    if reading.type not in _PAGES:
        raise Refusal("LOAD_ERROR", f"Nothing for a browser: {reading.uri} is {reading.type}.", _PLAINLY)
    if not reading.uri.startswith(("http://", "https://")):
        raise Refusal("LOAD_ERROR", f"The page has led to what is none: {reading.uri[:200]}")
    body = b"" if reading.html is None else reading.html.encode()
    if reading.html is None or len(body) > BODY_LIMIT:
        raise Refusal("LOAD_ERROR", f"Larger than {BODY_LIMIT // 1024**2} MiB: {reading.uri}")
    return HttpResponse(
        status=tab.progress.status,
        reason=tab.progress.reason,
        headers={"content-type": _HTML},
        body=body,
        zone=border.zone,
    )
