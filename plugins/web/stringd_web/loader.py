"""Brings the pages of the web to topics, and keeps for each topic what its sites let it keep."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING

from stringd.plugin import Daemon, Loaded, Loader, Refusal, Wanted
from stringd_web.browser.running import Browser

if TYPE_CHECKING:
    from stringd_web.memory import Memories, Memory

BROWSER = "browser"
SCHEMES = ("http", "https")
TOTAL_SECONDS = 20.0


def web_loader(daemon: Daemon, browser: Browser) -> Loader:
    """Return what loads the URLs of the web, and has a browser render them where that is wanted."""

    @cache
    def memories() -> Memories:
        # It takes a while to import, and not every daemon needs it.
        from stringd_web.memory import Memories

        return Memories()

    async def load(wanted: Wanted) -> Loaded:
        from stringd_web.fetching import fetch_page

        memory = memories().of(wanted.topic)
        if BROWSER in wanted.options:
            return await _rendered(wanted, daemon, browser, memory)
        try:
            async with asyncio.timeout(TOTAL_SECONDS):
                return await fetch_page(daemon.http, memory, wanted)
        except TimeoutError:
            raise Refusal("LOAD_ERROR", f"No answer within {TOTAL_SECONDS:g} s: {wanted.uri}") from None

    options = {BROWSER: "Has Chromium run the page's scripts first."}
    return Loader(schemes=SCHEMES, load=load, options=options)


async def _rendered(wanted: Wanted, daemon: Daemon, browser: Browser, memory: Memory) -> Loaded:
    try:
        from stringd_web.browser.border import Border
        from stringd_web.browser.loading import load_in_browser
    except ModuleNotFoundError as missing:
        message = f"--browser needs the package {missing.name}."
        raise Refusal("LOAD_ERROR", message, "pip install 'stringd[browser]'") from missing
    border = Border(routes=daemon.http, reach=wanted.reach)
    return await load_in_browser(wanted.uri, browser=browser, border=border, cookies=memory.cookies)
