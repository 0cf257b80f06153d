"""Brings the pages of the web to topics, and keeps for each topic what its sites let it keep."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING

from stringd.plugin import LoadedBytes, Loader, LoadRequest, Refusal, Runtime
from stringd_web.browser.shared_browser import Browser

if TYPE_CHECKING:
    from stringd_web.topic_cache import Memories, Memory

BROWSER = "browser"
SCHEMES = ("http", "https")
TOTAL_SECONDS = 20.0


def web_loader(runtime: Runtime, browser: Browser) -> Loader:
    """Return what loads the URLs of the web, and has a browser render them where that is wanted."""

    @cache
    def memories() -> Memories:
        # It takes a while to import, and not every daemon needs it.
        from stringd_web.topic_cache import Memories

        return Memories()

    async def load(wanted: LoadRequest) -> LoadedBytes:
        from stringd_web.fetching import fetch_page

        memory = memories().of(wanted.topic)
        if BROWSER in wanted.options.flags:
            return await _rendered(wanted, runtime, browser, memory)
        try:
            async with asyncio.timeout(TOTAL_SECONDS):
                return await fetch_page(runtime.http, memory, wanted)
        except TimeoutError:
            raise Refusal("LOAD_ERROR", f"No answer within {TOTAL_SECONDS:g} s: {wanted.uri}") from None

    options = {BROWSER: "Has Chromium run the page's scripts first."}
    return Loader(schemes=SCHEMES, load=load, options=options)


async def _rendered(wanted: LoadRequest, runtime: Runtime, browser: Browser, memory: Memory) -> LoadedBytes:
    try:
        from stringd_web.browser.loading import load_in_browser
        from stringd_web.browser.network_policy import NetworkPolicy
    except ModuleNotFoundError as missing:
        message = f"--browser needs the package {missing.name}."
        raise Refusal("LOAD_ERROR", message, "pip install 'stringd[browser]'") from missing
    border = NetworkPolicy(routes=runtime.http, reach=wanted.options.nearest_zone)
    return await load_in_browser(wanted.uri, browser=browser, border=border, cookies=memory.cookies)
