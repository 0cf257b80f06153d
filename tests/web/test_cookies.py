"""Cookies are sent where a browser would send them, within their topic only."""

from __future__ import annotations

import pytest

from stringd.plugin import Submission
from stringd.text.web_urls import WebUrl
from stringd_web.cookie_jar import MAX_COOKIE_SIZE, MAX_COOKIES, Cookies
from tests.web.server import Site, answer, redirect
from tests.web.visiting import Visitor

BANK = "https://www.bank.example/a/b"


def sent(given: str, to: str, by: str = BANK) -> str | None:
    """What goes along to a URL once another has set a cookie."""
    cookies = Cookies()
    cookies.store(WebUrl.read(by), [given])
    return cookies.header(WebUrl.read(to))


@pytest.mark.requirement("web.cookies")
@pytest.mark.parametrize(
    ("given", "to", "goes"),
    [
        ("a=1", "https://www.bank.example/a/", True),
        ("a=1", "https://www.bank.example/a/c/d", True),
        ("a=1", "https://www.bank.example:8443/a/c", True),
        ("a=1", "http://www.bank.example/a/", True),
        ("a=1", "https://www.bank.example/ab", False),
        ("a=1", "https://www.bank.example/", False),
        ("a=1", "https://bank.example/a/", False),
        ("a=1", "https://x.www.bank.example/a/", False),
        ("a=1", "https://evil.example/a/", False),
        ("a=1; Path=/", "https://www.bank.example/", True),
        ("a=1; Path=/x", "https://www.bank.example/x/y", True),
        ("a=1; Path=/x", "https://www.bank.example/xy", False),
        ("a=1; Path=/; Domain=bank.example", "https://bank.example/", True),
        ("a=1; Path=/; Domain=.Bank.Example", "https://other.bank.example/", True),
        ("a=1; Path=/; Domain=bank.example", "https://notbank.example/", False),
        ("a=1; Path=/; Domain=www.bank.example", "https://x.www.bank.example/", True),
        ("a=1; Path=/; Domain=evil.example", "https://evil.example/", False),
        ("a=1; Path=/; Domain=x.www.bank.example", "https://x.www.bank.example/", False),
        ("a=1; Path=/; Domain=example", "https://other.example/", False),
        ("a=1; Path=/; Port=80; Version=1", "https://www.bank.example/", True),
        ("a=1; Path=/; Secure", "https://www.bank.example/", True),
        ("a=1; Path=/; Secure", "http://www.bank.example/", False),
        ("a=1; Path=/; Max-Age=60", "https://www.bank.example/", True),
        ("a=1; Path=/; Max-Age=0", "https://www.bank.example/", False),
        ("a=1; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.bank.example/", True),
        ("a=1; Path=/; Expires=Thu, 01-Jan-1970 00:00:01 GMT", "https://www.bank.example/", False),
        ("a=1; Path=/; Expires=Fri, 01 Jan 2100 00:00:00 GMT", "https://www.bank.example/", True),
        ("__Secure-a=1; Path=/; Secure", "https://www.bank.example/", True),
        ("__Secure-a=1; Path=/", "https://www.bank.example/", False),
        ("__Host-a=1; Path=/; Secure", "https://www.bank.example/", True),
        ("__Host-a=1; Path=/x; Secure", "https://www.bank.example/x", False),
        ("__Host-a=1; Path=/; Secure; Domain=bank.example", "https://www.bank.example/", False),
        (f"a={'x' * MAX_COOKIE_SIZE}; Path=/", "https://www.bank.example/", False),
        ("", "https://www.bank.example/", False),
        (";;=", "https://www.bank.example/a/", False),
    ],
)
def test_scope_of_cookies(given: str, to: str, goes: bool) -> None:
    assert sent(given, to) == (given.partition(";")[0] if goes else None)


@pytest.mark.requirement("web.cookies")
@pytest.mark.parametrize("suffix", ["co.uk", "com.au", "ac.jp", "org.br"])
def test_no_cookie_for_a_public_suffix(suffix: str) -> None:
    assert sent(f"a=1; Domain={suffix}; Path=/", f"https://other.{suffix}/", f"https://one.{suffix}/") is None
    own = f"a=1; Domain=one.{suffix}; Path=/"
    assert sent(own, f"https://www.one.{suffix}/", f"https://one.{suffix}/") == "a=1"


@pytest.mark.requirement("web.cookies")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "app.localhost", "[::1]"])
def test_secure_cookies_work_on_loopback(host: str) -> None:
    assert sent("a=1; Secure", f"http://{host}:80/", f"http://{host}:81/") == "a=1"
    assert sent("a=1; Secure", "http://10.0.0.1/", "http://10.0.0.1/") is None


@pytest.mark.requirement("web.cookies")
@pytest.mark.parametrize("domain", ["127.0.0.1", "localhost"])
def test_domain_on_single_label_hosts(domain: str) -> None:
    assert sent(f"a=1; Domain={domain}", f"http://{domain}/", f"http://{domain}/") == "a=1"
    assert sent("a=1; Domain=0.0.1", "http://10.0.0.1/", "http://127.0.0.1/") is None
    assert sent("a=1; Domain=.1", "http://10.0.0.1/", "http://127.0.0.1/") is None


@pytest.mark.requirement("web.cookies")
def test_other_sites_cannot_delete_cookies() -> None:
    cookies = Cookies()
    cookies.store(WebUrl.read(BANK), ["a=1; Domain=bank.example; Path=/"])
    cookies.store(WebUrl.read("https://evil.example/"), ["a=; Domain=bank.example; Path=/; Max-Age=0"])
    assert cookies.header(WebUrl.read(BANK)) == "a=1"
    cookies.store(WebUrl.read("https://bank.example/"), ["a=; Domain=bank.example; Path=/; Max-Age=0"])
    assert cookies.header(WebUrl.read(BANK)) is None


@pytest.mark.requirement("web.cookies")
def test_the_number_of_cookies_is_limited() -> None:
    cookies = Cookies()
    for number in range(MAX_COOKIES + 9):
        cookies.store(WebUrl.read(f"https://{number}.example/"), ["a=1"])
    asked = (0, 8, 9, MAX_COOKIES + 8)
    kept = [cookies.header(WebUrl.read(f"https://{number}.example/")) for number in asked]
    assert kept == [None, None, "a=1", "a=1"]


@pytest.mark.requirement("web.cookies.topic")
def test_cookies_belong_to_the_topic(visitor: Visitor, site: Site) -> None:
    site.serve("/", answer("in", headers=[("Set-Cookie", "id=7, x"), ("Set-Cookie", "b=2; Path=/b")]))
    site.page("/b", "b")
    first = visitor.topic
    for _ in range(2):
        visitor.open(f"{site.url}/")
    visitor.close()
    visitor.open(f"{site.url}/")
    visitor.topic = first
    visitor.open(f"{site.url}/b")
    asked = [it.headers["Cookie"] for it in site.received]
    assert asked == [None, "id=7, x", None, "b=2; id=7, x"]


@pytest.mark.requirement("web.cookies")
def test_redirects_set_and_send_cookies(visitor: Visitor, site: Site, other_site: Site) -> None:
    site.serve("/login", redirect(f"{site.url}/home", "303 See Other", Set_Cookie="id=7"))
    site.serve(
        "/home", redirect(other_site.url.replace("127.0.0.1", "localhost") + "/x", Set_Cookie="seen=1")
    )
    other_site.page("/x", "elsewhere")
    form = Submission(method="POST", media_type="application/x-www-form-urlencoded", body=b"name=me")
    assert visitor.text(f"{site.url}/login", submission=form) == "elsewhere"
    assert [it.headers["Cookie"] for it in site.received] == [None, "id=7"]
    assert other_site.last.headers["Cookie"] is None
    visitor.open(f"{site.url}/login", submission=form)
    assert site.received[2].headers["Cookie"] == "id=7; seen=1"
