"""Build the request that follows a redirect, without the parts that another host must not get."""

from __future__ import annotations

from dataclasses import replace

from stringd.actions.http.action_request import PreparedRequest
from stringd.api.http import HttpResponse
from stringd.errors import HttpFailed, Refusal
from stringd.http_client.following import redirected
from stringd.http_client.redirects import location, moved
from stringd.text.web_urls import WebUrl


def redirected_request(prepared: PreparedRequest, response: HttpResponse) -> PreparedRequest | None:
    """Return the request that a redirect asks for, or None if the response is no redirect."""
    to = location(response)
    if to is None:
        return None
    before = WebUrl.read(prepared.request.url)
    url = _target(before, to)
    following = _moved(prepared, response.status)
    if _is_elsewhere(before, url):
        following = _without_private_parts(following, url.origin)
    # On the same origin, a user name in the author's URL is kept.
    origin = prepared.request.origin if url.origin == before.origin else url.origin
    # A redirect must not reach a zone that is nearer than the service itself.
    request = replace(following.request, origin=origin, target=url.target, reach=response.zone)
    return replace(following, request=request)


def _target(before: WebUrl, to: str) -> WebUrl:
    """Resolve `Location` exactly as the HTTP client will, so that the real target is checked."""
    try:
        return redirected(before, to)
    except HttpFailed as failure:
        raise Refusal("ACTION_FAILED", f"No usable answer from {before.netloc}: {failure}") from failure


def _moved(prepared: PreparedRequest, status: int) -> PreparedRequest:
    request = moved(prepared.request, status)
    holds_secret = prepared.body_holds_secret and request.body is not None
    return replace(prepared, request=request, body_holds_secret=holds_secret)


def _without_private_parts(prepared: PreparedRequest, origin: str) -> PreparedRequest:
    """Return the request without the headers meant for the original host only; refuse a secret body."""
    if prepared.body_holds_secret:
        message = f"The service redirects to {origin}, which would be sent a body that holds a $NAME."
        raise Refusal("ACTION_FAILED", message, "Only the origin that an action names is sent its secrets.")
    left_out = prepared.sensitive | {"host"}
    headers = {name: text for name, text in prepared.request.headers.items() if name not in left_out}
    return replace(prepared, request=replace(prepared.request, headers=headers))


def _is_elsewhere(before: WebUrl, after: WebUrl) -> bool:
    """Return whether host or port change or HTTPS is lost; an upgrade to HTTPS is no change."""
    if before.host != after.host or (before.scheme, after.scheme) == ("https", "http"):
        return True
    is_upgrade = (before.scheme, after.scheme, before.port, after.port) == ("http", "https", 80, 443)
    return before.port != after.port and not is_upgrade
