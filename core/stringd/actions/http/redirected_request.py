"""What an action's request carries along when the service redirects it."""

from __future__ import annotations

from msgspec.structs import replace

from stringd.actions.http.action_request import PreparedRequest
from stringd.api.http import HttpRequest, HttpResponse
from stringd.errors import ErrorCode, Refusal
from stringd.http_client.redirects import (
    MAX_REDIRECTS,
    Redirect,
    RedirectFailed,
    Send,
    TooManyRedirects,
    follow_redirects,
)
from stringd.text.web_urls import WebUrl


async def send_following_redirects(prepared: PreparedRequest, send: Send) -> tuple[HttpRequest, HttpResponse]:
    """Send a request, follow its redirects, and return the last request with its response."""

    def carry(redirect: Redirect) -> HttpRequest:
        return _request_after(redirect, prepared)

    try:
        return await follow_redirects(prepared.request, send, carry=carry)
    except TooManyRedirects as failure:
        raise Refusal(ErrorCode.ACTION_FAILED, f"More than {MAX_REDIRECTS} redirects") from failure
    except RedirectFailed as failure:
        message = f"No usable answer from {failure.url.netloc}: {failure}"
        raise Refusal(ErrorCode.ACTION_FAILED, message) from failure


def _request_after(redirect: Redirect, prepared: PreparedRequest) -> HttpRequest:
    """Return the following request; another host gets no secrets, nor does the first one get them back."""
    request = redirect.request
    if not _leaves_host(redirect.source, redirect.target):
        return request
    if prepared.body_holds_secret and request.body is not None:
        origin = redirect.target.origin
        message = f"The service redirects to {origin}, which would be sent a body that holds a $NAME."
        raise Refusal(
            ErrorCode.ACTION_FAILED, message, "Only the origin that an action names is sent its secrets."
        )
    withheld = prepared.sensitive | {"host"}
    headers = {name: text for name, text in request.headers.items() if name not in withheld}
    return replace(request, headers=headers)


def _leaves_host(before: WebUrl, after: WebUrl) -> bool:
    """Whether a redirect leads to another host, another port or from HTTPS to HTTP.

    The step from HTTP to HTTPS on their own ports stays with the host.
    """
    if before.host != after.host or (before.scheme, after.scheme) == ("https", "http"):
        return True
    upgrades = (before.scheme, after.scheme, before.port, after.port) == ("http", "https", 80, 443)
    return before.port != after.port and not upgrades
