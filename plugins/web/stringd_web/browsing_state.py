"""What a topic keeps of the web, and how that changes what is asked and answered."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

from stringd.plugin import HttpClient, HttpRequest, HttpResponse, Topic
from stringd.plugin.text import WebUrl
from stringd_web.cache import NOT_MODIFIED, Cache, Kept, Room, confirmed
from stringd_web.cookies import Cookies

BODY_LIMIT = 10 * 1024 * 1024


class Memories:
    """What the topics keep of the web, each as long as it is there, within bounds for all."""

    def __init__(self) -> None:
        self._room = Room()
        self._of: WeakKeyDictionary[Topic, Memory] = WeakKeyDictionary()

    def of(self, topic: Topic) -> Memory:
        """Return what a topic keeps."""
        memory = self._of.get(topic)
        if memory is None:
            memory = self._of[topic] = Memory(self._room)
        return memory


class Memory:
    """The cookies and the pages that sites let a topic keep; it ends with the topic."""

    def __init__(self, room: Room) -> None:
        self.cookies = Cookies()
        self._cache = Cache(room)

    async def exchange(
        self, client: HttpClient, url: WebUrl, request: HttpRequest, *, fresh: bool, site: str | None = None
    ) -> HttpResponse:
        """Answer a request: out of what is kept if that will do, and if nothing `fresh` is asked for.

        What a page of a `site` brings by being opened takes nothing along of what another one lets us keep.
        """
        if site not in {None, url.origin}:
            return await client.exchange(request, limit=BODY_LIMIT)
        cookie = self.cookies.header(url)
        headers = {**request.headers, "cookie": cookie} if cookie else request.headers
        request = replace(request, headers=headers)
        if request.method == "GET":
            return await self._page(client, url, request, fresh=fresh)
        self._cache.forget(str(url))
        return await self._sent(client, url, request)

    async def _page(
        self, client: HttpClient, url: WebUrl, request: HttpRequest, *, fresh: bool
    ) -> HttpResponse:
        kept = self._within_reach(url, request)
        if kept and kept.is_fresh and not fresh:
            return kept.response
        conditions = kept.conditions if kept else {}
        asked = {"cache-control": "max-age=0"} if fresh else {}
        sent = replace(request, headers={**request.headers, **conditions, **asked})
        response = await self._sent(client, url, sent)
        if response.status == NOT_MODIFIED and kept:
            response = confirmed(kept, response)
        self._cache.keep(str(url), request.headers, response)
        return response

    def _within_reach(self, url: WebUrl, request: HttpRequest) -> Kept | None:
        """Return what is kept, unless it came from nearer than the request may lead."""
        kept = self._cache.find(str(url), request.headers)
        return None if kept and kept.response.zone > request.reach else kept

    async def _sent(self, client: HttpClient, url: WebUrl, request: HttpRequest) -> HttpResponse:
        response = await client.exchange(request, limit=BODY_LIMIT)
        self.cookies.take(url, response.cookies)
        return response
