"""Where an answer sends a request on to, and what of the request goes along."""

from __future__ import annotations

from dataclasses import replace

from stringd.actions.http.request import Prepared
from stringd.api.http import HttpResponse
from stringd.errors import HttpFailed, Refusal
from stringd.http_client.following import redirected
from stringd.http_client.redirects import location, moved
from stringd.text.web_urls import WebUrl


def next_request(prepared: Prepared, response: HttpResponse) -> Prepared | None:
    """Return the request that an answer asks for; None when it is final."""
    to = location(response)
    if to is None:
        return None
    before = WebUrl.read(prepared.request.url)
    url = _following(before, to)
    following = _moved(prepared, response.status)
    if _is_elsewhere(before, url):
        following = _for_strangers(following, url.origin)
    # Where nothing changes, a user name in the author's URL stays.
    origin = prepared.request.origin if url.origin == before.origin else url.origin
    # What a service says leads no nearer than the service is.
    request = replace(following.request, origin=origin, target=url.target, reach=response.zone)
    return replace(following, request=request)


def _following(before: WebUrl, to: str) -> WebUrl:
    """Return where a redirect leads as the request for it is going to read it: nobody else is judged."""
    try:
        return redirected(before, to)
    except HttpFailed as failure:
        raise Refusal("ACTION_FAILED", f"No usable answer from {before.netloc}: {failure}") from failure


def _moved(prepared: Prepared, status: int) -> Prepared:
    request = moved(prepared.request, status)
    holds_secret = prepared.body_holds_secret and request.body is not None
    return replace(prepared, request=request, body_holds_secret=holds_secret)


def _for_strangers(prepared: Prepared, origin: str) -> Prepared:
    """Return the request without what is meant for the host that it was made for; it never gets it back."""
    if prepared.body_holds_secret:
        message = f"The service redirects to {origin}, which would be sent a body that holds a $NAME."
        raise Refusal("ACTION_FAILED", message, "Only the origin that an action names is sent its secrets.")
    left_out = prepared.sensitive | {"host"}
    headers = {name: text for name, text in prepared.request.headers.items() if name not in left_out}
    return replace(prepared, request=replace(prepared.request, headers=headers))


def _is_elsewhere(before: WebUrl, after: WebUrl) -> bool:
    """Whether it is another host, another port or a weaker scheme; a step up to HTTPS is neither."""
    if before.host != after.host or (before.scheme, after.scheme) == ("https", "http"):
        return True
    steps_up = (before.scheme, after.scheme, before.port, after.port) == ("http", "https", 80, 443)
    return before.port != after.port and not steps_up
