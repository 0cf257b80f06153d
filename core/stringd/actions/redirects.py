"""Where an answer sends a request on to, and what of the request goes along."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import SplitResult, urljoin, urlsplit

from stringd.actions.encoders import IN_URL
from stringd.actions.request import Prepared
from stringd.contracts.http import HttpResponse
from stringd.errors import Refusal

_STATUSES = frozenset({301, 302, 303, 307, 308})
_DEFAULT_PORTS = {"http": 80, "https": 443}
_OF_THE_BODY = frozenset({"content-type", "content-length", "content-encoding"})


def next_request(prepared: Prepared, response: HttpResponse) -> Prepared | None:
    """Return the request that an answer asks for; None when it is final."""
    location = response.headers.get("location")
    if response.status not in _STATUSES or not location:
        return None
    before, url = urlsplit(prepared.request.origin), _joined(prepared.request.url, location)
    if url is None or url.scheme not in _DEFAULT_PORTS or not url.hostname:
        raise Refusal("ACTION_FAILED", f"The service redirects to something else than HTTP: {location[:200]}")
    moved = _moved(prepared, response.status)
    if _is_elsewhere(before, url):
        moved = _for_strangers(moved)
    target = IN_URL.author((url.path or "/") + (f"?{url.query}" if url.query else ""))
    request = replace(moved.request, origin=f"{url.scheme}://{url.netloc}", target=target, address=None)
    return replace(moved, request=request)


def _joined(base: str, location: str) -> SplitResult | None:
    try:
        url = urlsplit(urljoin(base, location))
        return url if _port(url) else None
    except ValueError:
        return None


def _moved(prepared: Prepared, status: int) -> Prepared:
    """Return the request as its method is after a redirect: as browsers do, a POST becomes a GET."""
    request = prepared.request
    stays = status in {307, 308} or request.method == "GET" or (status != 303 and request.method != "POST")
    if stays:
        return prepared
    headers = {name: text for name, text in request.headers.items() if name not in _OF_THE_BODY}
    return replace(
        prepared, request=replace(request, method="GET", headers=headers, body=None), body_holds_secret=False
    )


def _for_strangers(prepared: Prepared) -> Prepared:
    """Return the request without what is meant for the host that it was made for."""
    if prepared.body_holds_secret:
        message = "The service redirects to another host, which would be sent a body that holds a $NAME."
        raise Refusal("ACTION_FAILED", message)
    left_out = prepared.sensitive | {"host"}
    headers = {name: text for name, text in prepared.request.headers.items() if name not in left_out}
    return replace(prepared, request=replace(prepared.request, headers=headers))


def _is_elsewhere(before: SplitResult, after: SplitResult) -> bool:
    """Whether it is another host, another port or a weaker scheme; a step up to HTTPS is neither."""
    if before.hostname != after.hostname:
        return True
    ports = _port(before), _port(after)
    return ports[0] != ports[1] and (before.scheme, after.scheme, *ports) != ("http", "https", 80, 443)


def _port(url: SplitResult) -> int | None:
    return url.port or _DEFAULT_PORTS.get(url.scheme)
