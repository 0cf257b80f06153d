"""What becomes of a request that is answered with a redirect, as browsers have it."""

from __future__ import annotations

from dataclasses import replace

from stringd.api.http import HttpRequest, HttpResponse

MOST_REDIRECTS = 10
_STATUSES = frozenset({301, 302, 303, 307, 308})
_SAME_METHOD = frozenset({307, 308})
_OF_THE_BODY = frozenset({"content-type", "content-length", "content-encoding"})


def location(response: HttpResponse) -> str | None:
    """Return where an answer sends its request on to, as it is written there; None if nowhere."""
    return (response.headers.get("location") or None) if response.status in _STATUSES else None


def moved(request: HttpRequest, status: int) -> HttpRequest:
    """Return a request as its method is after a redirect: a POST becomes a GET, unless it is told to stay."""
    stays = status in _SAME_METHOD or request.method == "GET" or (status != 303 and request.method != "POST")
    if stays:
        return request
    headers = {name: text for name, text in request.headers.items() if name not in _OF_THE_BODY}
    return replace(request, method="GET", headers=headers, body=None)
