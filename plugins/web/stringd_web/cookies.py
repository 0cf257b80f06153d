"""The cookies of a topic, as a browser would keep and send them; they are nowhere but in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from email.message import Message
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from ipaddress import ip_address
from typing import Any, cast

from stringd.plugin.http import is_address
from stringd.plugin.text import WebUrl

MOST = 300
LONGEST = 4096
_DOMAIN = re.compile(r";\s*domain\s*=\s*\.?(?P<domain>[^;\s]*)[^;]*", re.IGNORECASE)
_SECURE_NAME, _HOST_NAME = "__secure-", "__host-"


class Cookies:
    """Takes what sites set, and says what goes along with a request."""

    def __init__(self) -> None:
        self._jar = CookieJar(policy=_AsBrowsers())

    def take(self, url: WebUrl, lines: Iterable[str]) -> None:
        """Keep what the `Set-Cookie` headers of an answer set, as far as its site may."""
        own = tuple(_of_its_own(lines, url.host))
        if not own:
            return
        answer = _Answer(own)
        self._jar.extract_cookies(cast("Any", answer), cast("Any", _Asking(url)))
        self._drop_oldest()

    def header(self, url: WebUrl) -> str | None:
        """Return the `Cookie` header of a request; None if there is nothing to send."""
        asking = _Asking(url)
        self._jar.add_cookie_header(cast("Any", asking))
        return asking.header

    def __iter__(self) -> Iterator[Cookie]:
        return iter(self._jar)

    def renew(self, cookies: Iterable[Cookie]) -> None:
        """Keep these, which a browser has kept, in place of all that there were."""
        self._jar.clear()
        for cookie in cookies:
            self._jar.set_cookie(cookie)
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        for cookie in list(self._jar)[:-MOST]:
            self._jar.clear(cookie.domain, cookie.path, cookie.name)


class _Asking:
    """A request in the shape in which the jar reads it, and writes into it."""

    unverifiable = False

    def __init__(self, url: WebUrl) -> None:
        self.url = url
        self.type = url.scheme
        self.header: str | None = None

    def get_full_url(self) -> str:
        return str(self.url)

    def has_header(self, _: str) -> bool:
        return self.header is not None

    def add_unredirected_header(self, name: str, value: str) -> None:
        if name == "Cookie":
            self.header = value


class _Answer:
    """`Set-Cookie` headers in the shape in which the jar reads them."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._headers = Message()
        for line in lines:
            self._headers["Set-Cookie"] = line

    def info(self) -> Message:
        return self._headers


class _AsBrowsers(DefaultCookiePolicy):
    """Decides as browsers do what the standard library leaves open."""

    def __init__(self) -> None:
        # Without a Domain a cookie is its host's alone; none is set for co.uk and its like.
        super().__init__(strict_domain=True, strict_ns_domain=self.DomainStrictNonDomain)

    def set_ok(self, cookie: Cookie, asking: Any) -> bool:
        size = len(cookie.name) + len(cookie.value or "")
        return size <= LONGEST and _keeps_its_promise(cookie, asking) and super().set_ok(cookie, asking)

    def set_ok_port(self, cookie: Cookie, asking: Any) -> bool:
        return True

    def return_ok_port(self, cookie: Cookie, asking: Any) -> bool:
        return True

    def return_ok_secure(self, cookie: Cookie, asking: Any) -> bool:
        return not cookie.secure or _is_secure(asking.url)


def _of_its_own(lines: Iterable[str], host: str) -> Iterator[str]:
    """Yield the headers that speak of a host's own domain; the jar would let a stranger's delete cookies."""
    stands_alone = "." not in host or is_address(host)
    for line in lines:
        domains = [it["domain"].lower() for it in _DOMAIN.finditer(line) if it["domain"]]
        if all(host == it or (not stands_alone and host.endswith(f".{it}")) for it in domains):
            yield _DOMAIN.sub("", line) if stands_alone else line


def _keeps_its_promise(cookie: Cookie, asking: Any) -> bool:
    """Whether a cookie is set in the way that its name, or `Secure`, says it is."""
    name = cookie.name.lower()
    if cookie.secure and not _is_secure(asking.url):
        return False
    if name.startswith(_HOST_NAME) and (cookie.domain_specified or cookie.path != "/"):
        return False
    return cookie.secure or not name.startswith((_SECURE_NAME, _HOST_NAME))


def _is_secure(url: WebUrl) -> bool:
    """Whether nobody on the way can listen: it is encrypted, or there is no way."""
    host = url.host.rstrip(".")
    if url.scheme == "https" or host == "localhost" or host.endswith(".localhost"):
        return True
    return is_address(host) and ip_address(host).is_loopback
