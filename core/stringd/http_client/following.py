"""Follows redirects to the URL that they finally lead to."""

from __future__ import annotations

from stringd.api.http import HttpClient, HttpRequest, HttpResponse
from stringd.api.zones import Zone
from stringd.errors import HttpFailed
from stringd.http_client.redirects import MOST_REDIRECTS, location
from stringd.text.web_urls import WebUrl


def redirected(url: WebUrl, to: str) -> WebUrl:
    """Return the URL that the answer for another one leads to, or raise `HttpFailed`."""
    try:
        following = WebUrl.read(to, str(url))
    except ValueError as error:
        raise HttpFailed(f"it redirects to {to[:200]}, and {error}") from error
    if following.credentials:
        raise HttpFailed(f"it redirects to a URL with a user name in it, at {following.netloc}")
    return following


async def fetch(client: HttpClient, url: WebUrl, *, limit: int) -> tuple[WebUrl, HttpResponse]:
    """Get what a URL leads to, and the URL that it comes from; raise `HttpFailed` where nothing does."""
    reach = Zone.LOOPBACK
    for _ in range(MOST_REDIRECTS + 1):
        request = HttpRequest(method="GET", origin=url.origin, target=url.target, headers={}, reach=reach)
        response = await client.exchange(request, limit=limit)
        to = location(response)
        if to is None:
            return url, response
        url, reach = redirected(url, to), response.zone
    raise HttpFailed(f"more than {MOST_REDIRECTS} redirects")
