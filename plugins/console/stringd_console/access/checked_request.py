"""Checks on the requests of browsers: the cookie, the same origin, and the key of the page."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from stringd.plugin import RequestRefused
from stringd_console.access.signed_in_browsers import Browser, SignedInBrowsers

KEY_HEADER = "X-Console-Key"
_SIGN_IN_AGAIN = "This browser is not signed in; `stringd console` prints a link for it."


class NotSignedIn(RequestRefused):
    """The request lacks a valid cookie, or the key that belongs to it."""

    status = 401
    code = "NOT_SIGNED_IN"

    def __init__(self) -> None:
        super().__init__(_SIGN_IN_AGAIN)


class OtherOrigin(RequestRefused):
    """The request does not come from a page of the console."""

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
    """Return the browser if the request comes from a page of the console; a stolen cookie is not enough."""
    _refuse_other_origins(request, request.headers.get("origin", _own_origin(request)))
    browser = signed_in_browser(request, browsers)
    if browser is None or not browser.has_key(request.headers.get(KEY_HEADER, "")):
        raise NotSignedIn
    return browser


def require_acting_browser(request: HTTPConnection, browsers: SignedInBrowsers) -> Browser:
    """Return the browser likewise; what acts also says where it comes from, as browsers do."""
    require_same_origin(request)
    return require_browser(request, browsers)


def require_same_origin(request: HTTPConnection) -> None:
    """Refuse what does not prove that a page of this origin sends it."""
    _refuse_other_origins(request, request.headers.get("origin"))


def _refuse_other_origins(request: HTTPConnection, origin: str | None) -> None:
    # Pages of other ports are of the same site: they share the cookies, and are refused here.
    site = request.headers.get("sec-fetch-site", "same-origin")
    if origin != _own_origin(request) or site != "same-origin":
        raise OtherOrigin("Only a page of the console itself may do this.")


def _own_origin(request: HTTPConnection) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"
