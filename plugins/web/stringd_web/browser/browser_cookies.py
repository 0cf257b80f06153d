"""Conversion of cookies between the topic's jar and the browser."""

from __future__ import annotations

from http.cookiejar import Cookie
from typing import Any

from stringd_web.browser.devtools import Fields

_SAME_SITE = "SameSite"
_HTTP_ONLY = "HttpOnly"
_SAME_SITES = frozenset({"Strict", "Lax", "None"})
# http.cookiejar appends this to hosts without a dot.
_LOCAL = ".local"


def for_browser(cookie: Cookie) -> dict[str, Any]:
    """Return a cookie as parameters for Storage.setCookies."""
    fields: dict[str, Any] = {
        "name": cookie.name,
        "value": cookie.value or "",
        "path": cookie.path,
        "secure": cookie.secure,
        "httpOnly": cookie.has_nonstandard_attr(_HTTP_ONLY),
    }
    if cookie.domain_specified:
        fields["domain"] = cookie.domain
    else:
        scheme = "https" if cookie.secure else "http"
        fields["url"] = f"{scheme}://{cookie.domain.removesuffix(_LOCAL)}/"
    if cookie.expires:
        fields["expires"] = cookie.expires
    if (same_site := cookie.get_nonstandard_attr(_SAME_SITE)) in _SAME_SITES:
        fields["sameSite"] = same_site
    return fields


def from_browser(fields: Fields) -> Cookie:
    """Return a cookie from Storage.getCookies for the topic's jar."""
    domain = fields["domain"] if "." in fields["domain"] else fields["domain"] + _LOCAL
    rest = {_HTTP_ONLY: ""} if fields["httpOnly"] else {}
    if "sameSite" in fields:
        rest[_SAME_SITE] = fields["sameSite"]
    return Cookie(
        version=0,
        name=fields["name"],
        value=fields["value"],
        port=None,
        port_specified=False,
        domain=domain,
        domain_specified=domain.startswith("."),
        domain_initial_dot=domain.startswith("."),
        path=fields["path"],
        path_specified=True,
        secure=fields["secure"],
        expires=None if fields["session"] else int(fields["expires"]),
        discard=fields["session"],
        comment=None,
        comment_url=None,
        rest=rest,
    )
