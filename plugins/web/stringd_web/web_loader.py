"""The loader of `http:` and `https:` URLs: over HTTP, as a download, or rendered by Chromium."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from stringd.plugin import (
    BodySink,
    ErrorCode,
    LoadedBytes,
    Loader,
    LoadRequest,
    Refusal,
    Runtime,
    WritePiece,
    Zone,
    ZoneLimit,
)
from stringd_web.browser.shared_browser import Browser
from stringd_web.settings import PrivateAddresses, WebSettings

if TYPE_CHECKING:
    from stringd_web.browser.live_pages import LivePages
    from stringd_web.browsing_state import BrowsingState, BrowsingStates


BROWSER = "browser"
SCHEMES = ("http", "https")
TOTAL_SECONDS = 20.0
MEBIBYTE = 1024 * 1024
STALL_SECONDS = 20.0
_PUBLIC_ONLY = ZoneLimit(
    nearest_zone=Zone.PUBLIC, reason=f"The setting web.private of this daemon is {PrivateAddresses.NEVER}."
)


def web_loader(runtime: Runtime, browser: Browser, live: Callable[[], LivePages]) -> Loader:
    """Return the loader; the option `--browser` renders pages in Chromium."""

    settings = runtime.settings(WebSettings)

    @cache
    def states() -> BrowsingStates:
        # Its import is slow, and not every daemon needs it.
        from stringd_web.browsing_state import BrowsingStates

        return BrowsingStates(keep_cookies=settings.keep_cookies)

    async def load(wanted: LoadRequest) -> LoadedBytes:
        state = states().for_topic(wanted.topic, wanted.session)
        try:
            if BROWSER in wanted.options.flags:
                return await _load_in_browser(wanted, runtime, browser, live, state)
            if wanted.save:
                return await _save_over_http(
                    wanted, wanted.save, runtime, state, settings.download * MEBIBYTE
                )
            return await _load_over_http(wanted, runtime, state)
        finally:
            states().keep(state, wanted.session)

    options = {BROWSER: "Has Chromium run the page's scripts first."}
    limit = _PUBLIC_ONLY if settings.private is PrivateAddresses.NEVER else None
    return Loader(schemes=SCHEMES, load=load, options=options, saves=True, limit=limit)


async def _load_over_http(wanted: LoadRequest, runtime: Runtime, state: BrowsingState) -> LoadedBytes:
    from stringd_web.page_fetching import fetch_page

    try:
        async with asyncio.timeout(TOTAL_SECONDS):
            return await fetch_page(runtime.http, state, wanted)
    except TimeoutError:
        raise Refusal(ErrorCode.LOAD_ERROR, f"No answer within {TOTAL_SECONDS:g} s: {wanted.uri}") from None


async def _load_in_browser(
    wanted: LoadRequest,
    runtime: Runtime,
    browser: Browser,
    live: Callable[[], LivePages],
    state: BrowsingState,
) -> LoadedBytes:
    with packages_needed():
        from stringd_web.browser.network_policy import NetworkPolicy
        from stringd_web.browser.page_loading import load_in_browser
    policy = NetworkPolicy(routes=runtime.http, nearest_zone=wanted.options.nearest_zone)
    act = live().prepared(wanted.topic)
    if act:
        return await live().perform(wanted, act, policy, state.cookies)
    await live().close(wanted.topic)
    return await load_in_browser(wanted.uri, browser=browser, policy=policy, cookies=state.cookies)


@contextmanager
def packages_needed() -> Iterator[None]:
    """Refuse if the packages for the browser are missing, and tell how to get them."""
    try:
        yield
    except ModuleNotFoundError as missing:
        message = f"--browser needs the package {missing.name}."
        raise Refusal(ErrorCode.LOAD_ERROR, message, "pip install 'stringd[browser]'") from missing


async def _save_over_http(
    wanted: LoadRequest, write: WritePiece, runtime: Runtime, state: BrowsingState, limit: int
) -> LoadedBytes:
    """Load a URL and pass its bytes on, up to a limit; refuse if nothing arrives for a while."""
    from stringd_web.page_fetching import fetch_page

    loop = asyncio.get_running_loop()

    async def pass_on(piece: bytes) -> None:
        # The time that the disk takes does not count.
        deadline.reschedule(None)
        await write(piece)
        deadline.reschedule(loop.time() + STALL_SECONDS)

    try:
        async with asyncio.timeout(STALL_SECONDS) as deadline:
            return await fetch_page(runtime.http, state, wanted, BodySink(write=pass_on, limit=limit))
    except TimeoutError:
        message = f"Nothing arrives for {STALL_SECONDS:g} s: {wanted.uri}"
        raise Refusal(ErrorCode.LOAD_ERROR, message) from None
