"""Follow redirects as browsers do; callers decide what each request carries."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from stringd.api.http import HttpClient, HttpRequest, HttpResponse, OnProgress
from stringd.api.zones import Zone
from stringd.errors import HttpFailed
from stringd.text.web_urls import WebUrl

MAX_REDIRECTS = 10
_STATUSES = frozenset({301, 302, 303, 307, 308})
_SEE_OTHER = 303
_SAME_METHOD = frozenset({307, 308})
_BODY_HEADERS = frozenset({"content-type", "content-length", "content-encoding"})


class Redirect(Struct, frozen=True, kw_only=True):
    """A redirect from one URL to another, and the request that follows by the rules of browsers."""

    source: WebUrl
    target: WebUrl
    request: HttpRequest


class RedirectFailed(HttpFailed):
    """A redirect that can't be followed; `url` is the one that answered with it."""

    def __init__(self, reason: str, url: WebUrl) -> None:
        super().__init__(reason)
        self.url = url


class TooManyRedirects(RedirectFailed):
    """More than `MAX_REDIRECTS` redirects; `url` is the target of the last one."""


Send: TypeAlias = Callable[[HttpRequest], Awaitable[HttpResponse]]
Carry: TypeAlias = Callable[[Redirect], HttpRequest]
Refresh: TypeAlias = Callable[[HttpResponse, WebUrl], WebUrl | None]


def carry_all(redirect: Redirect) -> HttpRequest:
    """Return the following request unchanged."""
    return redirect.request


async def follow_redirects(
    request: HttpRequest, send: Send, *, carry: Carry = carry_all, refresh: Refresh | None = None
) -> tuple[HttpRequest, HttpResponse]:
    """Send a request, follow redirects, and return the last request with its response.

    `carry` decides which parts of a request go to the next URL. `refresh` returns the URL to which a response
    that is no redirect sends its reader; it is followed like a 303. Raises `RedirectFailed`.
    """
    for _ in range(MAX_REDIRECTS + 1):
        response = await send(request)
        redirect = _read_redirect(request, response, refresh)
        if redirect is None:
            return request, response
        request = carry(redirect)
    raise TooManyRedirects(f"more than {MAX_REDIRECTS} redirects", WebUrl.read(request.url))


async def fetch(
    client: HttpClient, url: WebUrl, *, limit: int, on_progress: OnProgress | None = None
) -> tuple[WebUrl, HttpResponse]:
    """GET a URL, following redirects; return the final URL and its response, or raise `HttpFailed`."""

    async def send(request: HttpRequest) -> HttpResponse:
        return await client.exchange(request, limit=limit, on_progress=on_progress)

    first = HttpRequest(
        method="GET", origin=url.origin, target=url.target, headers={}, nearest_zone=Zone.LOOPBACK
    )
    request, response = await follow_redirects(first, send)
    return WebUrl.read(request.url), response


def _read_redirect(request: HttpRequest, response: HttpResponse, refresh: Refresh | None) -> Redirect | None:
    location = response.headers.get("location") if response.status in _STATUSES else None
    if location:
        source = WebUrl.read(request.url)
        return _redirect(request, response, source, _resolve(source, location), response.status)
    if refresh is None:
        return None
    source = WebUrl.read(request.url)
    target = refresh(response, source)
    return _redirect(request, response, source, target, _SEE_OTHER) if target else None


def _resolve(source: WebUrl, location: str) -> WebUrl:
    """Resolve a Location exactly as the HTTP client will, so that policy checks the real target."""
    try:
        target = WebUrl.read(location, str(source))
    except ValueError as error:
        raise RedirectFailed(f"it redirects to {location[:200]}, and {error}", source) from error
    if target.credentials:
        raise RedirectFailed(f"it redirects to a URL with a user name in it, at {target.netloc}", source)
    return target


def _redirect(
    request: HttpRequest, response: HttpResponse, source: WebUrl, target: WebUrl, status: int
) -> Redirect:
    following = replace(
        _with_method_after(request, status),
        # Within an origin, a user name in the first URL stays.
        origin=request.origin if target.origin == source.origin else target.origin,
        target=target.target,
        # A redirect never leads nearer than the redirecting server.
        nearest_zone=response.zone,
    )
    return Redirect(source=source, target=target, request=following)


def _with_method_after(request: HttpRequest, status: int) -> HttpRequest:
    """Turn a POST into a GET unless the status keeps the method; after 303, everything becomes a GET."""
    keeps_method = status in _SAME_METHOD or (status != _SEE_OTHER and request.method != "POST")
    if keeps_method or request.method == "GET":
        return request
    headers = {name: text for name, text in request.headers.items() if name not in _BODY_HEADERS}
    return replace(request, method="GET", headers=headers, body=None)
