"""The way from what is wanted to the page that it finally leads to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stringd.plugin import (
    HttpClient,
    HttpFailed,
    HttpRequest,
    HttpResponse,
    LoadedBytes,
    LoadRequest,
    Refusal,
)
from stringd.plugin.http import MOST_REDIRECTS, location, moved, redirected
from stringd.plugin.text import WebUrl
from stringd_web.pages import as_page, detour
from stringd_web.refreshes import refresh_target
from stringd_web.submitting import PAGE_HEADERS, excerpt, page_headers
from stringd_web.topic_cache import Memory

ACCEPT = "text/markdown, text/html;q=0.9, application/json;q=0.8, text/plain;q=0.7, */*;q=0.1"
_SEE_OTHER = 303


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A URL on the way, and what is asked of it."""

    url: WebUrl
    request: HttpRequest

    def after(self, response: HttpResponse) -> _Step | None:
        """Return the step that an answer asks for; None when it is the last one's."""
        to = location(response)
        if to is not None:
            return self._moved(redirected(self.url, to), response, response.status)
        refreshed = refresh_target(response, self.url)
        return self._moved(refreshed, response, _SEE_OTHER) if refreshed else None

    def _moved(self, url: WebUrl, response: HttpResponse, status: int) -> _Step:
        request = moved(self.request, status)
        # What a server says leads no nearer than that server is, whoever has named it.
        headers = request.headers
        if request.method == "GET" or url.origin != self.url.origin:
            headers = {name: text for name, text in headers.items() if name not in PAGE_HEADERS}
        request = replace(request, origin=url.origin, target=url.target, headers=headers, reach=response.zone)
        return _Step(url=url, request=request)


async def fetch_page(client: HttpClient, memory: Memory, wanted: LoadRequest) -> LoadedBytes:
    """Return the page that is wanted, or refuse in words that name it."""
    step = _first_step(wanted)
    for _ in range(MOST_REDIRECTS + 1):
        following, response = await _taken(step, client, memory, wanted)
        if following is None:
            told = excerpt(response, wanted.options.hidden) if wanted.options.submission else ""
            return as_page(response, step.url, wanted.uri, told)
        step = following
    message = f"More than {MOST_REDIRECTS} redirects: {wanted.uri}"
    raise Refusal("LOAD_ERROR", message, f"the last one leads to {step.url}")


async def _taken(
    step: _Step, client: HttpClient, memory: Memory, wanted: LoadRequest
) -> tuple[_Step | None, HttpResponse]:
    """Take a step, and return the one that follows; what stops it is told with where it would have led."""
    try:
        site = read_url(wanted.part_of).origin if wanted.part_of else None
        response = await memory.exchange(
            client, step.url, step.request, fresh=wanted.options.fresh, site=site
        )
        return step.after(response), response
    except HttpFailed as failure:
        reason = str(failure)
        message = f"{reason[0].upper()}{reason[1:]}: {wanted.uri}"
        raise Refusal("LOAD_ERROR", message, *detour(step.url, wanted.uri)) from failure
    except Refusal as refusal:
        context = (*detour(step.url, wanted.uri), *refusal.context)
        raise Refusal(refusal.code, refusal.message, *context) from refusal


def _first_step(wanted: LoadRequest) -> _Step:
    url, submission = read_url(wanted.uri), wanted.options.submission
    headers = {"accept": ACCEPT}
    if submission:
        headers |= {"content-type": submission.media_type, **page_headers(submission.page, url)}
    request = HttpRequest(
        method=submission.method if submission else "GET",
        origin=url.origin,
        target=url.target,
        headers=headers,
        body=submission.body if submission else None,
        reach=wanted.options.nearest_zone,
    )
    return _Step(url=url, request=request)


def read_url(uri: str) -> WebUrl:
    """Return what a URI means that was typed or linked, or refuse."""
    try:
        url = WebUrl.read(uri)
    except ValueError as error:
        raise Refusal("INVALID_TARGET", f"Not a URL of the web: {uri}", str(error)) from None
    if url.credentials:
        message = f"A URL with a user name in it is not opened: it would be shown and kept. Open {url}"
        raise Refusal("INVALID_TARGET", message)
    return url
