"""Checks on the requests of browsers: the cookie, the same origin, and the key of the page."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from stringd.plugin import RequestRefused
from stringd_console.access.signed_in_browsers import Browser, SignedInBrowsers

KEY_HEADER = "X-Console-Key"
_SIGN_IN_AGAIN = "This browser is not signed in; `stringd console` prints a link for it."


class NotSignedIn(RequestRefused):
    """The request has no valid cookie; `RequestRefused` makes it an answer."""

    status = 401
    code = "NOT_SIGNED_IN"

    def __init__(self) -> None:
        super().__init__(_SIGN_IN_AGAIN)


class OtherOrigin(RequestRefused):
    """The request comes from a page of another origin, or its page cannot prove that it is the console's."""

    status = 403
    code = "OTHER_ORIGIN"


def cookie_name(request: HTTPConnection) -> str:
    """Return the name of the cookie: browsers send cookies to all ports of a host."""
    return f"stringd_console_{request.url.port or 80}"


def signed_in_browser(request: HTTPConnection, browsers: SignedInBrowsers) -> Browser | None:
    """Return the browser that a request comes from, if it is signed in."""
    cookie = request.cookies.get(cookie_name(request))
    return browsers.browser(cookie) if cookie else None


def require_browser(request: HTTPConnection, browsers: SignedInBrowsers) -> Browser:
    """Return the signed-in browser that a request comes from, or refuse it."""
    if browser := signed_in_browser(request, browsers):
        return browser
    raise NotSignedIn


def require_acting_browser(request: HTTPConnection, browsers: SignedInBrowsers) -> Browser:
    """Return the browser if the request comes from a page of the console; a stolen cookie is not enough."""
    require_same_origin(request)
    browser = require_browser(request, browsers)
    if not browser.may_act(request.headers.get(KEY_HEADER, "")):
        raise OtherOrigin("Only a page of the console that signed in itself may act.")
    return browser


def require_same_origin(request: HTTPConnection) -> None:
    """Refuse what a page of another origin sends, such as one of another port, which shares the cookies."""
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    if origin != f"{request.url.scheme}://{request.url.netloc}" or site != "same-origin":
        raise OtherOrigin("Only a page of the console itself may do this.")
