"""The loader of `http:` and `https:` URLs, over HTTP or rendered by Chromium."""

from __future__ import annotations

import asyncio
import os
from functools import cache
from typing import TYPE_CHECKING

from stringd.plugin import (
    LEAST_PART,
    PART_CHARACTERS,
    ErrorCode,
    Fault,
    LoadedBytes,
    Loader,
    LoadRequest,
    Refusal,
    Runtime,
)
from stringd_web.browser.shared_browser import Browser

if TYPE_CHECKING:
    from stringd_web.browsing_state import BrowsingState, BrowsingStates

BROWSER = "browser"
SCHEMES = ("http", "https")
TOTAL_SECONDS = 20.0
PART = "STRINGD_WEB_PART"
MOST_DIGITS = 8
MISUSE = 2


def web_loader(runtime: Runtime, browser: Browser) -> Loader:
    """Return the loader; the option `--browser` renders pages in Chromium."""

    @cache
    def states() -> BrowsingStates:
        # Its import is slow, and not every daemon needs it.
        from stringd_web.browsing_state import BrowsingStates

        return BrowsingStates()

    async def load(wanted: LoadRequest) -> LoadedBytes:
        from stringd_web.page_fetching import fetch_page

        state = states().for_topic(wanted.topic)
        if BROWSER in wanted.options.flags:
            return await _load_in_browser(wanted, runtime, browser, state)
        try:
            async with asyncio.timeout(TOTAL_SECONDS):
                return await fetch_page(runtime.http, state, wanted)
        except TimeoutError:
            raise Refusal(
                ErrorCode.LOAD_ERROR, f"No answer within {TOTAL_SECONDS:g} s: {wanted.uri}"
            ) from None

    options = {BROWSER: "Has Chromium run the page's scripts first."}
    return Loader(schemes=SCHEMES, load=load, options=options, part_characters=_part_characters())


def _part_characters() -> int:
    """Read the length of a part from the daemon's environment; raise a `Fault` if it makes no part."""
    text = os.environ.get(PART) or str(PART_CHARACTERS)
    if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS and int(text) >= LEAST_PART:
        return int(text)
    raise Fault(
        f"{PART} must be a number of characters, at least {LEAST_PART}, not {text!r}", exit_code=MISUSE
    )


async def _load_in_browser(
    wanted: LoadRequest, runtime: Runtime, browser: Browser, state: BrowsingState
) -> LoadedBytes:
    try:
        from stringd_web.browser.network_policy import NetworkPolicy
        from stringd_web.browser.page_loading import load_in_browser
    except ModuleNotFoundError as missing:
        message = f"--browser needs the package {missing.name}."
        raise Refusal(ErrorCode.LOAD_ERROR, message, "pip install 'stringd[browser]'") from missing
    policy = NetworkPolicy(routes=runtime.http, reach=wanted.options.nearest_zone)
    return await load_in_browser(wanted.uri, browser=browser, policy=policy, cookies=state.cookies)
