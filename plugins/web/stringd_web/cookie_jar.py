"""The cookies of a topic, kept and sent as browsers do."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from email.message import Message
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from ipaddress import ip_address
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import Request
from urllib.response import addinfourl

from stringd.plugin.http import is_address
from stringd.plugin.text import WebUrl

MAX_COOKIES = 300
MAX_COOKIE_SIZE = 4096
_DOMAIN = re.compile(r";\s*domain\s*=\s*\.?(?P<domain>[^;\s]*)[^;]*", re.IGNORECASE)
_SECURE_PREFIX, _HOST_PREFIX = "__secure-", "__host-"


class Cookies:
    """A cookie jar: `http.cookiejar` with the policy of browsers."""

    def __init__(self) -> None:
        self._jar = CookieJar(policy=_BrowserPolicy())

    def store(self, url: WebUrl, lines: Sequence[str]) -> None:
        """Store the cookies of a response's `Set-Cookie` headers that its host may set."""
        if not lines:
            return
        headers = Message()
        for line in _for_own_domain(lines, url.host):
            headers["Set-Cookie"] = line
        if not headers:
            return
        response = addinfourl(io.BytesIO(), headers, str(url))
        self._jar.extract_cookies(cast("Any", response), _request(url))
        self._drop_oldest()

    def header(self, url: WebUrl) -> str | None:
        """Return the `Cookie` header of a request; None if no cookie matches."""
        request = _request(url)
        self._jar.add_cookie_header(request)
        return request.get_header("Cookie")

    def __iter__(self) -> Iterator[Cookie]:
        return iter(self._jar)

    def renew(self, cookies: Iterable[Cookie]) -> None:
        """Replace all cookies with those that a browser returned."""
        self._jar.clear()
        for cookie in cookies:
            self._jar.set_cookie(cookie)
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        for cookie in list(self._jar)[:-MAX_COOKIES]:
            self._jar.clear(cookie.domain, cookie.path, cookie.name)


class _BrowserPolicy(DefaultCookiePolicy):
    """The standard policy, changed to what browsers do."""

    def __init__(self) -> None:
        # A cookie without Domain is sent to its host only; none can be set for co.uk and the like.
        super().__init__(strict_domain=True, strict_ns_domain=self.DomainStrictNonDomain)

    def set_ok(self, cookie: Cookie, request: Request) -> bool:
        size = len(cookie.name) + len(cookie.value or "")
        return (
            size <= MAX_COOKIE_SIZE
            and _is_set_as_required(cookie, request)
            and super().set_ok(cookie, request)
        )

    def set_ok_port(self, cookie: Cookie, request: Request) -> bool:
        return True

    def return_ok_port(self, cookie: Cookie, request: Request) -> bool:
        return True

    def return_ok_secure(self, cookie: Cookie, request: Request) -> bool:
        return not cookie.secure or _is_secure(request)


def _request(url: WebUrl) -> Request:
    # The scheme of a WebUrl is http or https.
    return Request(str(url))  # noqa: S310


def _for_own_domain(lines: Iterable[str], host: str) -> Iterator[str]:
    """Yield the headers for a host's own domain; the jar would let others delete cookies of it."""
    is_single_label = "." not in host or is_address(host)
    for line in lines:
        domains = [it["domain"].lower() for it in _DOMAIN.finditer(line) if it["domain"]]
        if all(host == it or (not is_single_label and host.endswith(f".{it}")) for it in domains):
            yield _DOMAIN.sub("", line) if is_single_label else line


def _is_set_as_required(cookie: Cookie, request: Request) -> bool:
    """Whether a cookie meets the requirements of its `Secure` attribute and its name's prefix."""
    name = cookie.name.lower()
    if cookie.secure and not _is_secure(request):
        return False
    if name.startswith(_HOST_PREFIX) and (cookie.domain_specified or cookie.path != "/"):
        return False
    return cookie.secure or not name.startswith((_SECURE_PREFIX, _HOST_PREFIX))


def _is_secure(request: Request) -> bool:
    """Whether a request is encrypted or stays on this machine."""
    host = (urlsplit(request.full_url).hostname or "").rstrip(".")
    if request.type == "https" or host == "localhost" or host.endswith(".localhost"):
        return True
    return is_address(host) and ip_address(host).is_loopback
