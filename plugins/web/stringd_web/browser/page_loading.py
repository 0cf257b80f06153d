"""Loads a page in Chromium for `/open uri --browser`: its HTML once its scripts have run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from http.cookiejar import Cookie

from stringd.plugin import RESPONSE_LIMIT, ErrorCode, HttpResponse, LoadedBytes, Refusal
from stringd.plugin.events import current_output
from stringd.plugin.text import WebUrl
from stringd_web.browser.browser_cookies import for_browser, from_browser
from stringd_web.browser.chromium_launch import Chromium
from stringd_web.browser.devtools import BrowserGone, Declined
from stringd_web.browser.navigation_guard import NavigationGuard, load_failure
from stringd_web.browser.network_policy import NetworkPolicy
from stringd_web.browser.proxy import Proxy
from stringd_web.browser.shared_browser import Browser
from stringd_web.browser.tab import PageSnapshot, Tab
from stringd_web.cookie_jar import Cookies
from stringd_web.page_fetching import read_url
from stringd_web.response_page import page_from_response

TOTAL_SECONDS = 20.0
IDLE_DEADLINE_SECONDS = 12.0
READ_SECONDS = 3.0
_DISPOSE_SECONDS = 2.0
_STILL_CHANGING = (
    f"[!] The page was still changing after {IDLE_DEADLINE_SECONDS:g} s: this is its state at that time."
)
_HTML = "text/html; charset=utf-8"
_PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_REMEDY = "Open it without --browser."


async def load_in_browser(
    uri: str, *, browser: Browser, policy: NetworkPolicy, cookies: Cookies
) -> LoadedBytes:
    """Load a page in the browser and return its HTML; cookies are shared with the topic."""
    requested = str(read_url(uri))
    try:
        async with asyncio.timeout(TOTAL_SECONDS):
            return await _load_page(requested, browser, policy, cookies)
    except TimeoutError:
        raise load_failure(
            "its scripts kept the browser busy, so that it could not be read in time", requested
        ) from None
    except (BrowserGone, Declined) as error:
        refusal = load_failure("the browser crashed or failed", requested)
        raise refusal from error


async def _load_page(uri: str, browser: Browser, policy: NetworkPolicy, cookies: Cookies) -> LoadedBytes:
    end = asyncio.get_running_loop().time() + IDLE_DEADLINE_SECONDS
    guard = NavigationGuard(policy=policy)
    _say("waiting for the browser")
    async with browser.borrow(end) as chromium, browser_context(chromium, policy) as context:
        declined = await put_cookies(cookies, chromium, context)
        with contextlib.closing(await Tab.open(chromium.devtools, context, guard)) as tab:
            snapshot = await _visit(tab, guard, uri, end)
        await take_cookies(cookies, chromium, context, declined)
    return loaded_page(snapshot, tab, policy, uri)


def loaded_page(snapshot: PageSnapshot, tab: Tab, policy: NetworkPolicy, uri: str) -> LoadedBytes:
    """Return a snapshot of the page that a URI led to as a loaded page, or refuse."""
    return page_from_response(_as_response(snapshot, tab, policy), WebUrl.read(snapshot.uri), uri)


async def _visit(tab: Tab, guard: NavigationGuard, uri: str, end: float) -> PageSnapshot:
    _say(f"loading {uri}")
    await tab.navigate(uri, end)
    _say("running its scripts")
    is_idle = await tab.wait_until_idle(end)
    if not is_idle:
        await tab.stop()
    _say("reading the page")
    async with asyncio.timeout(READ_SECONDS):
        return await tab.snapshot(still_changing(guard, is_idle=is_idle))


def still_changing(guard: NavigationGuard, *, is_idle: bool) -> str:
    """Return the notices about a page that is not idle, and about a navigation that was refused."""
    refused = [f"[!] {it.message}" for it in (guard.refusal,) if it]
    return " ".join([_STILL_CHANGING] * (not is_idle) + refused)


def _say(step: str) -> None:
    current_output().write(f"{step}\n", "browser")


@asynccontextmanager
async def browser_context(chromium: Chromium, policy: NetworkPolicy) -> AsyncIterator[str]:
    """Create a browser context with a proxy of its own; dispose of both."""
    proxy = Proxy(policy)
    server = proxy.serve(await chromium.open_listener())
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
            await _dispose(chromium, context)
    finally:
        await proxy.close()


async def put_cookies(cookies: Cookies, chromium: Chromium, context: str) -> list[Cookie]:
    """Put the topic's cookies into the browser, and return those that it rejects."""
    call = chromium.devtools.call
    declined = []
    for cookie in cookies:
        try:
            await call("Storage.setCookies", browserContextId=context, cookies=[for_browser(cookie)])
        except Declined:
            declined.append(cookie)
    return declined


async def take_cookies(
    cookies: Cookies, chromium: Chromium, context: str, declined: Iterable[Cookie] = ()
) -> None:
    """Replace the topic's cookies by those of the browser, and those that it has rejected."""
    kept = await chromium.devtools.call("Storage.getCookies", browserContextId=context)
    cookies.renew([*declined, *(from_browser(it) for it in kept["cookies"] if "partitionKey" not in it)])


async def _dispose(chromium: Chromium, context: str) -> None:
    try:
        async with asyncio.timeout(_DISPOSE_SECONDS):
            await chromium.devtools.call("Target.disposeBrowserContext", browserContextId=context)
    except (TimeoutError, BrowserGone, Declined):
        # No page may outlive its command, whatever it is busy with.
        await chromium.close()


def _as_response(snapshot: PageSnapshot, tab: Tab, policy: NetworkPolicy) -> HttpResponse:
    """Return the snapshot as an HTTP response."""
    if snapshot.type not in _PAGE_TYPES:
        raise Refusal(
            ErrorCode.LOAD_ERROR, f"Not an HTML or text page: {snapshot.uri} is {snapshot.type}.", _REMEDY
        )
    if not snapshot.uri.startswith(("http://", "https://")):
        raise Refusal(
            ErrorCode.LOAD_ERROR,
            f"The page navigated to something that is not a web page: {snapshot.uri[:200]}",
        )
    body = b"" if snapshot.html is None else snapshot.html.encode()
    if snapshot.html is None or len(body) > RESPONSE_LIMIT:
        raise Refusal(ErrorCode.LOAD_ERROR, f"Larger than {RESPONSE_LIMIT // 1024**2} MiB: {snapshot.uri}")
    return HttpResponse(
        status=tab.progress.status,
        reason=tab.progress.reason,
        headers={"content-type": _HTML},
        body=body,
        zone=policy.zone,
    )
