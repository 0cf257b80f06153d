"""Cookies that survive the daemon: kept in the session's data, if a person has set that."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from http.cookiejar import Cookie
from typing import Any

from stringd.plugin import Session
from stringd_web.cookie_jar import Cookies

PLUGIN = "web"
_COOKIES = "cookies"
# The data of a plugin may take 256 KiB.
_MOST = 240 * 1024
_FIELDS = ("name", "value", "domain", "path", "secure", "expires", "discard", "domain_specified")


def restore_cookies(session: Session, cookies: Cookies) -> None:
    """Fill a new jar with the cookies that were kept and have not expired."""
    kept = session.data.get(PLUGIN, {}).get(_COOKIES, ())
    cookies.renew(it for it in map(_cookie, kept) if not it.is_expired())


def keep_cookies(session: Session, cookies: Cookies) -> None:
    """Keep the cookies of a jar, the latest ones if they are too many."""
    kept = tuple(_latest([_as_json(it) for it in cookies if not it.is_expired()]))
    if kept:
        session.data[PLUGIN] = {_COOKIES: kept}
    else:
        forget_cookies(session)


def forget_cookies(session: Session) -> None:
    """Keep no cookies, and drop those that were kept."""
    session.data.pop(PLUGIN, None)


def _latest(cookies: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    sizes = [len(json.dumps(it)) for it in cookies]
    left = sum(sizes)
    for it, size in zip(cookies, sizes, strict=True):
        if left <= _MOST:
            yield it
        left -= size


def _as_json(cookie: Cookie) -> dict[str, Any]:
    rest: Mapping[str, Any] = getattr(cookie, "_rest", {})
    return {**{name: getattr(cookie, name) for name in _FIELDS}, "rest": dict(rest)}


def _cookie(fields: Mapping[str, Any]) -> Cookie:
    return Cookie(
        version=0,
        name=fields["name"],
        value=fields["value"],
        port=None,
        port_specified=False,
        domain=fields["domain"],
        domain_specified=fields["domain_specified"],
        domain_initial_dot=fields["domain"].startswith("."),
        path=fields["path"],
        path_specified=True,
        secure=fields["secure"],
        expires=fields["expires"],
        discard=fields["discard"],
        comment=None,
        comment_url=None,
        rest=dict(fields["rest"]),
    )
