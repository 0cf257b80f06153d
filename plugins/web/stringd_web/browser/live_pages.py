"""Pages that stay open in the browser between commands, so that they can be clicked and filled in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, closing, suppress
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary, finalize

from msgspec import Struct, field

from stringd.plugin import LoadedBytes, LoadRequest, Refusal, Topic
from stringd_web.browser.devtools import BrowserGone, Declined
from stringd_web.browser.navigation_guard import NavigationGuard, load_failure
from stringd_web.browser.network_policy import NetworkPolicy
from stringd_web.browser.page_loading import (
    IDLE_DEADLINE_SECONDS,
    READ_SECONDS,
    TOTAL_SECONDS,
    browser_context,
    loaded_page,
    put_cookies,
    still_changing,
    take_cookies,
)
from stringd_web.browser.shared_browser import Browser
from stringd_web.browser.tab import Tab
from stringd_web.cookie_jar import Cookies
from stringd_web.page_fetching import read_url

MAX_LIVE_PAGES = 4
LIVE_SECONDS = 300.0
Act: TypeAlias = Callable[[Tab], Awaitable[None]]


class LivePage(Struct, kw_only=True):
    """An open page with its tab, and the elements that were named in it."""

    tab: Tab
    guard: NavigationGuard
    stack: AsyncExitStack
    context: str
    browser: Any
    cookies: Cookies
    elements: dict[int, str] = field(default_factory=dict)
    next: int = 1
    timer: asyncio.TimerHandle | None = None

    async def name_elements(self) -> dict[int, str]:
        """Return a line for each visible element, by its number; those that were named keep theirs."""
        found = await self.tab.evaluate(f"stringd.elements({self.next})")
        self.next = found["next"]
        self.elements = {it["number"]: _line(it) for it in found["elements"]}
        return self.elements


def _line(element: dict[str, Any]) -> str:
    parts = (f"@e{element['number']}", element["role"], element["label"], f"({element['state']})")
    return "  ".join(it for it in parts if it and it != "()")


class LivePages:
    """The live page of each topic; of too many, the one that was not used for the longest time is closed."""

    def __init__(self, browser: Browser, *, live_seconds: float = LIVE_SECONDS) -> None:
        self._browser = browser
        self._live_seconds = live_seconds
        self._pages: WeakKeyDictionary[Topic, LivePage] = WeakKeyDictionary()
        self._open: list[LivePage] = []
        self._acts: WeakKeyDictionary[Topic, Act] = WeakKeyDictionary()
        self._tasks: set[asyncio.Task[None]] = set()

    def page_of(self, topic: Topic) -> LivePage | None:
        """Return the live page of a topic, if it has one."""
        page = self._pages.get(topic)
        return page if page in self._open else None

    def prepare(self, topic: Topic, act: Act) -> None:
        """Set what is to be done when the topic's page is loaded next."""
        self._acts[topic] = act

    def prepared(self, topic: Topic) -> Act | None:
        """Return what is to be done when the topic's page is loaded, once."""
        return self._acts.pop(topic, None)

    async def perform(
        self, wanted: LoadRequest, act: Act, policy: NetworkPolicy, cookies: Cookies
    ) -> LoadedBytes:
        """Do something in the live page of a topic, which is opened if necessary, and return the page."""
        uri = str(read_url(wanted.uri))
        page = self.page_of(wanted.topic)
        try:
            async with asyncio.timeout(TOTAL_SECONDS):
                if page is None:
                    page = await self._opened(wanted.topic, uri, policy, cookies)
                return await self._performed(page, act, uri)
        except TimeoutError:
            await self.close(wanted.topic)
            raise load_failure("the page kept the browser busy, and was closed", uri) from None
        except (BrowserGone, Declined) as error:
            await self.close(wanted.topic)
            raise load_failure("the browser crashed or failed", uri) from error

    async def close(self, topic: Topic) -> None:
        """Close the live page of a topic, if it has one."""
        if page := self._pages.pop(topic, None):
            await self._close(page)

    async def close_all(self) -> None:
        """Close all live pages."""
        for page in list(self._open):
            await self._close(page)

    async def _opened(self, topic: Topic, uri: str, policy: NetworkPolicy, cookies: Cookies) -> LivePage:
        while len(self._open) >= MAX_LIVE_PAGES:
            await self._close(self._open[0])
        end = asyncio.get_running_loop().time() + IDLE_DEADLINE_SECONDS
        async with AsyncExitStack() as stack:
            chromium = await stack.enter_async_context(self._browser.keep_page())
            context = await stack.enter_async_context(browser_context(chromium, policy))
            await put_cookies(cookies, chromium, context)
            guard = NavigationGuard(policy=policy)
            tab = stack.enter_context(closing(await Tab.open(chromium.devtools, context, guard)))
            await tab.navigate(uri, end)
            await tab.wait_until_idle(end)
            page = LivePage(
                tab=tab,
                guard=guard,
                stack=stack.pop_all(),
                context=context,
                browser=chromium,
                cookies=cookies,
            )
        self._pages[topic] = page
        self._open.append(page)
        finalize(topic, self._abandon, page).atexit = False
        return page

    async def _performed(self, page: LivePage, act: Act, uri: str) -> LoadedBytes:
        self._open.remove(page)
        self._open.append(page)
        self._restart_timer(page)
        end = asyncio.get_running_loop().time() + IDLE_DEADLINE_SECONDS
        page.guard.begin_command()
        try:
            await act(page.tab)
            page.tab.progress.note_activity()
            is_idle = await page.tab.wait_until_idle(end)
            async with asyncio.timeout(READ_SECONDS):
                snapshot = await page.tab.snapshot(still_changing(page.guard, is_idle=is_idle))
                await page.name_elements()
        finally:
            await take_cookies(page.cookies, page.browser, page.context)
        return loaded_page(snapshot, page.tab, page.guard.policy, uri)

    def _restart_timer(self, page: LivePage) -> None:
        if page.timer:
            page.timer.cancel()
        page.timer = asyncio.get_running_loop().call_later(self._live_seconds, self._abandon, page)

    def _abandon(self, page: LivePage) -> None:
        """Close a page in the background."""
        with suppress(RuntimeError):
            task = asyncio.get_running_loop().create_task(self._close(page))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _close(self, page: LivePage) -> None:
        if page not in self._open:
            return
        self._open.remove(page)
        if page.timer:
            page.timer.cancel()
        with suppress(BrowserGone, Declined, Refusal):
            await page.stack.aclose()
