"""Where an answer sends a request on to, and what of the request goes along."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import SplitResult, urljoin, urlsplit

from stringd.actions.encoders import IN_URL
from stringd.actions.request import Prepared
from stringd.contracts.http import HttpResponse
from stringd.errors import Refusal
from stringd.http.redirects import location, moved

_DEFAULT_PORTS = {"http": 80, "https": 443}


def next_request(prepared: Prepared, response: HttpResponse) -> Prepared | None:
    """Return the request that an answer asks for; None when it is final."""
    to = location(response)
    if to is None:
        return None
    before, url = urlsplit(prepared.request.origin), _joined(prepared.request.url, to)
    if url is None or url.scheme not in _DEFAULT_PORTS or not url.hostname:
        raise Refusal("ACTION_FAILED", f"The service redirects to something else than HTTP: {to[:200]}")
    following = _moved(prepared, response.status)
    if _is_elsewhere(before, url):
        following = _for_strangers(following)
    target = IN_URL.author((url.path or "/") + (f"?{url.query}" if url.query else ""))
    origin = f"{url.scheme}://{url.netloc}"
    # What a public service says may not lead into a private network.
    request = replace(following.request, origin=origin, target=target, reach=response.private)
    return replace(following, request=request)


def _joined(base: str, location: str) -> SplitResult | None:
    try:
        url = urlsplit(urljoin(base, location))
        return url if _port(url) else None
    except ValueError:
        return None


def _moved(prepared: Prepared, status: int) -> Prepared:
    request = moved(prepared.request, status)
    holds_secret = prepared.body_holds_secret and request.body is not None
    return replace(prepared, request=request, body_holds_secret=holds_secret)


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
