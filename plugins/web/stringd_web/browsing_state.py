"""The cookies and the HTTP cache of each topic, applied to its requests."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from msgspec.structs import replace

from stringd.plugin import (
    RESPONSE_LIMIT,
    BodySink,
    HttpClient,
    HttpRequest,
    HttpResponse,
    OnProgress,
    Session,
    Topic,
)
from stringd.plugin.text import WebUrl
from stringd_web.cache import NOT_MODIFIED, CacheBudget, CachedPage, PageCache, revalidated
from stringd_web.cookie_jar import Cookies
from stringd_web.cookie_storage import forget_cookies, keep_cookies, restore_cookies


class BrowsingStates:
    """The browsing state of each topic, dropped with the topic; the caches share a budget.

    With `keep_cookies`, a topic's cookies are kept in its session's data, too.
    """

    def __init__(self, *, keep_cookies: bool = False) -> None:
        self._keep_cookies = keep_cookies
        self._budget = CacheBudget()
        self._by_topic: WeakKeyDictionary[Topic, BrowsingState] = WeakKeyDictionary()

    def for_topic(self, topic: Topic, session: Session) -> BrowsingState:
        """Return the state of a topic, creating it on first use."""
        state = self._by_topic.get(topic)
        if state is None:
            state = self._by_topic[topic] = BrowsingState(self._budget)
            if self._keep_cookies:
                restore_cookies(session, state.cookies)
            else:
                forget_cookies(session)
        return state

    def keep(self, state: BrowsingState, session: Session) -> None:
        """Keep what should survive the daemon."""
        if self._keep_cookies:
            keep_cookies(session, state.cookies)


class BrowsingState:
    """A topic's cookies and cached pages."""

    def __init__(self, budget: CacheBudget) -> None:
        self.cookies = Cookies()
        self._cache = PageCache(budget)

    async def exchange(
        self,
        client: HttpClient,
        url: WebUrl,
        request: HttpRequest,
        *,
        fresh: bool,
        site: str | None = None,
        on_progress: OnProgress | None = None,
        sink: BodySink | None = None,
    ) -> HttpResponse:
        """Answer a request from the cache or the network; `fresh` forces revalidation.

        What goes into a sink is always from the network. Requests that opening a page of a `site` causes use
        neither cookies nor cache of other sites.
        """
        if site not in {None, url.origin}:
            return await client.exchange(request, limit=RESPONSE_LIMIT, on_progress=on_progress)
        cookie = self.cookies.header(url)
        headers = {**request.headers, "cookie": cookie} if cookie else request.headers
        request = replace(request, headers=headers)
        if sink:
            return await self._send(client, url, request, on_progress, sink)
        if request.method == "GET":
            return await self._get(client, url, request, on_progress, fresh=fresh)
        self._cache.evict(str(url))
        return await self._send(client, url, request, on_progress)

    async def _get(
        self,
        client: HttpClient,
        url: WebUrl,
        request: HttpRequest,
        on_progress: OnProgress | None,
        *,
        fresh: bool,
    ) -> HttpResponse:
        cached = self._cached_within_reach(url, request)
        if cached and cached.is_fresh and not fresh:
            return cached.response
        conditions = cached.conditions if cached else {}
        reload_headers = {"cache-control": "max-age=0"} if fresh else {}
        conditional = replace(request, headers={**request.headers, **conditions, **reload_headers})
        response = await self._send(client, url, conditional, on_progress)
        if response.status == NOT_MODIFIED and cached:
            response = revalidated(cached, response)
        self._cache.store(str(url), request.headers, response)
        return response

    def _cached_within_reach(self, url: WebUrl, request: HttpRequest) -> CachedPage | None:
        """Return the cached page, unless it came from nearer than the request may reach."""
        cached = self._cache.find(str(url), request.headers)
        return None if cached and cached.response.zone > request.nearest_zone else cached

    async def _send(
        self,
        client: HttpClient,
        url: WebUrl,
        request: HttpRequest,
        on_progress: OnProgress | None,
        sink: BodySink | None = None,
    ) -> HttpResponse:
        response = await client.exchange(request, limit=RESPONSE_LIMIT, on_progress=on_progress, sink=sink)
        self.cookies.store(url, response.cookies)
        return response
