"""Requests, redirects, refreshes and error pages of the web loader."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from stringd import __version__
from stringd.api.zones import Zone
from stringd.plugin import Submission
from stringd_web import web_loader
from tests.http_client.fake_network import PUBLIC, FakeNetwork, named
from tests.web.server import HTML, Site, answer, chunked, redirect
from tests.web.visiting import Visitor, visiting

FORM = "application/x-www-form-urlencoded"
POST = Submission(method="POST", media_type=FORM, body=b"a=1")


@pytest.mark.requirement("web.request")
def test_request_headers(visitor: Visitor, site: Site) -> None:
    loaded = visitor.open(site.page("/page", "<p>Hi</p>"))
    assert (loaded.uri, loaded.media_type, loaded.body) == (f"{site.url}/page", HTML, b"<p>Hi</p>")
    assert loaded.zone is Zone.LOOPBACK
    assert dict(site.last.headers.items()) == {
        "host": f"127.0.0.1:{site.port}",
        "user-agent": f"stringd/{__version__}",
        "accept": "text/markdown, text/html;q=0.9, application/json;q=0.8, text/plain;q=0.7, */*;q=0.1",
        "accept-encoding": "gzip, deflate, br",
    }


@pytest.mark.requirement("web.url")
@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("", "/"),
        ("/a b/ü?q=ü x", "/a%20b/%C3%BC?q=%C3%BC%20x"),
        ("/a%20b/%C3%BC/%2f%zz?q=%20+", "/a%20b/%C3%BC/%2f%zz?q=%20+"),
        ("/a/./b/../c", "/a/c"),
        ("/日本?#frag", "/%E6%97%A5%E6%9C%AC?"),
        ("?q", "/?q"),
        ("\\a\\b", "/a/b"),
        ("/x'\"<>`{|}", "/x'%22%3C%3E%60%7B|%7D"),
    ],
)
def test_a_url_as_people_type_it(visitor: Visitor, site: Site, typed: str, sent: str) -> None:
    site.page(sent.partition("?")[0], "here")
    loaded = visitor.open(f"  {site.url}{typed} ")
    assert (site.last.target, loaded.body) == (sent, b"here")
    assert loaded.uri == site.url + sent


@pytest.mark.requirement("web.url")
def test_hosts_as_people_type_them(visitor: Visitor, fake_network: FakeNetwork, site: Site) -> None:
    site.page("/", "here")
    fake_network.names["xn--bcher-kva.example"] = [PUBLIC]
    for host in ("BÜCHER.example", "xn--bcher-kva.example", "bücher。example"):
        assert visitor.open(named(site, host, "")).uri == named(site, "xn--bcher-kva.example")
    for host in ("127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"):
        assert visitor.open(named(site, host, "")).zone is Zone.LOOPBACK
    assert visitor.open(named(site, "127.1", "")).uri == f"{site.url}/"


@pytest.mark.requirement("web.url.bad")
@pytest.mark.parametrize("url", ["http://", "http://[::1", "http://h:99999/", "http://a b/", "https://%zz/"])
def test_invalid_urls_are_refused(visitor: Visitor, url: str) -> None:
    code, told = visitor.refusal(url)
    assert (code, told) == ("INVALID_TARGET", f"Not a URL of the web: {url}\nit is not a URL")


@pytest.mark.requirement("web.url.user")
def test_url_with_credentials_is_refused(visitor: Visitor, site: Site) -> None:
    url = site.url.replace("//", "//me:secret@") + "/x"
    code, told = visitor.refusal(url)
    assert code == "INVALID_TARGET"
    assert told.startswith("A URL with a user name in it is not opened")
    assert "secret" not in told
    site.serve("/to", redirect(url))
    assert visitor.refusal(f"{site.url}/to")[0] == "LOAD_ERROR"
    assert site.paths == ["/to"]


@pytest.mark.requirement("web.redirects")
@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See", "307 Temporary", "308 Permanent"])
def test_document_has_the_final_url(visitor: Visitor, site: Site, other_site: Site, status: str) -> None:
    other_site.page("/end", "there")
    site.serve("/a/start", redirect("../b/next?x#part", status))
    site.serve("/b/next", redirect(f"//127.0.0.1:{other_site.port}/end", status))
    loaded = visitor.open(f"{site.url}/a/start")
    assert (loaded.uri, loaded.body) == (f"{other_site.url}/end", b"there")
    assert site.paths == ["/a/start", "/b/next?x"]


@pytest.mark.requirement("web.redirects")
def test_at_most_ten_redirects(visitor: Visitor, site: Site) -> None:
    for number in range(11):
        site.serve(f"/{number}", redirect(f"/{number + 1}"))
    site.page("/11", "here")
    assert visitor.text(f"{site.url}/1") == "here"
    code, told = visitor.refusal(f"{site.url}/0")
    assert (code, told.partition("\n")[0]) == ("LOAD_ERROR", f"More than 10 redirects: {site.url}/0")


@pytest.mark.requirement("web.redirects")
def test_circular_redirects(visitor: Visitor, site: Site) -> None:
    site.serve("/a", redirect("/b"))
    site.serve("/b", redirect("/a"))
    assert visitor.refusal(f"{site.url}/a")[0] == "LOAD_ERROR"
    assert len(site.received) == 11


@pytest.mark.requirement("web.redirects")
@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://h/x", "javascript:x", "http://", "data:,x"])
def test_redirect_to_another_scheme(visitor: Visitor, site: Site, to: str) -> None:
    site.serve("/a", redirect(to))
    code, told = visitor.refusal(f"{site.url}/a")
    assert code == "LOAD_ERROR"
    assert told.startswith(f"It redirects to {to}, and it is n")


@pytest.mark.requirement("web.redirects")
def test_redirect_without_location(visitor: Visitor, site: Site) -> None:
    site.serve("/a", answer("over there", status="302 Found"))
    assert visitor.refusal(f"{site.url}/a") == ("LOAD_ERROR", f"302 Found: {site.url}/a")


@pytest.mark.requirement("web.redirects.form")
@pytest.mark.parametrize(
    ("status", "method"),
    [("301 M", "GET"), ("302 F", "GET"), ("303 S", "GET"), ("307 T", "POST"), ("308 P", "POST")],
)
def test_a_form_after_a_redirect(visitor: Visitor, site: Site, status: str, method: str) -> None:
    site.serve("/form", redirect("/done", status))
    site.page("/done", "done")
    visitor.open(f"{site.url}/form", submission=POST)
    first, last = site.received
    assert (first.method, first.body, first.headers["Content-Type"]) == ("POST", b"a=1", FORM)
    kept = (FORM, "3", b"a=1") if method == "POST" else (None, None, b"")
    assert last.method == method
    assert (last.headers["Content-Type"], last.headers["Content-Length"], last.body) == kept


REFRESH = '<html><head><meta http-equiv="refresh" content="{}"></head><body>Wait.</body></html>'


@pytest.mark.requirement("web.refresh")
@pytest.mark.parametrize(
    "page",
    [
        REFRESH.format("0; url=/end"),
        REFRESH.format("0;URL='/end'more"),
        REFRESH.format(" 0 , /end"),
        REFRESH.format("0 url=end"),
        REFRESH.format("0.5;url=end"),
        REFRESH.format(".0;url=end"),
        REFRESH.format("0;url=/e&#110;d"),
        REFRESH.format(f"{'0' * 5000};url=/end"),
        REFRESH.format("0;url=/end") + "<![x",
        "<META CONTENT='0;url=/end' HTTP-EQUIV=Refresh>",
        "<base href='http://127.0.0.1:{port}/'>" + REFRESH.format("0;url=end").replace("{", "{{"),
    ],
)
def test_meta_refresh_is_followed(visitor: Visitor, site: Site, page: str) -> None:
    site.page("/start", page.replace("{port}", str(site.port)))
    site.page("/end", "end")
    assert visitor.open(f"{site.url}/start").uri == f"{site.url}/end"


@pytest.mark.requirement("web.refresh")
@pytest.mark.parametrize(
    "page",
    [
        REFRESH.format("5; url=/end"),
        REFRESH.format("0"),
        REFRESH.format("0; url="),
        REFRESH.format("soon; url=/end"),
        REFRESH.format("0; url=/start"),
        REFRESH.format("0; url=javascript:x"),
        REFRESH.format(f"{'9' * 5000}; url=/end"),
        "<base href='http://['>" + REFRESH.format("0;url=end"),
        "<!-- " + REFRESH.format("0;url=/end") + " -->",
        "<noscript>" + REFRESH.format("0;url=/end") + "</noscript>Content",
        "<script>'" + REFRESH.format("0;url=/end") + "'</script>",
        "<p>&lt;meta http-equiv=refresh content='0;url=/end'></p>",
    ],
)
def test_slow_refresh_is_not_followed(visitor: Visitor, site: Site, page: str) -> None:
    site.page("/start", page)
    site.page("/end", "end")
    assert visitor.text(f"{site.url}/start") == page
    assert visitor.text(site.page("/text", REFRESH.format("0;url=/end"), "text/plain")).startswith("<html>")


@pytest.mark.requirement("web.refresh")
def test_refreshes_count_as_redirects(visitor: Visitor, site: Site) -> None:
    for number in range(11):
        to = f"/{number + 1}"
        site.serve(f"/{number}", redirect(to) if number % 2 else answer(REFRESH.format(f"0;url={to}")))
    site.page("/11", "here")
    assert visitor.text(f"{site.url}/1") == "here"
    assert visitor.refusal(f"{site.url}/0")[0] == "LOAD_ERROR"


@pytest.mark.requirement("web.not_found")
@pytest.mark.parametrize("status", ["404 Not Found", "410 Gone"])
def test_missing_page(visitor: Visitor, site: Site, status: str) -> None:
    site.serve("/none", answer("No.", status=status))
    site.serve("/to", redirect("/none"))
    assert visitor.refusal(f"{site.url}/none") == ("NOT_FOUND", f"Not found: {site.url}/none")
    told = f"Not found: {site.url}/to\nredirected to {site.url}/none"
    assert visitor.refusal(f"{site.url}/to") == ("NOT_FOUND", told)


@pytest.mark.requirement("web.failed")
@pytest.mark.parametrize("status", ["401 Who", "403 Forbidden", "429 Slow Down", "500 Oops", "599 ", "300 M"])
def test_failure_includes_the_status(visitor: Visitor, site: Site, status: str) -> None:
    site.serve("/x", answer(REFRESH.format("0;url=/end"), status=status, headers={"Retry-After": "30"}))
    says = "" if status == "300 M" else "\nit says: Wait."
    told = f"{status.strip()}: {site.url}/x\nretry after: 30{says}"
    assert visitor.refusal(f"{site.url}/x") == ("LOAD_ERROR", told)


@pytest.mark.requirement("web.failed.why")
@pytest.mark.parametrize(
    ("media_type", "body", "shown"),
    [
        ("application/json", '{"error": "down for repair"}', '{"error": "down for repair"}'),
        ("application/problem+json; charset=utf-8", '{\n  "detail": "später"\n}', '{ "detail": "später" }'),
        ("text/html", "<title>x</title><nav>Home</nav><h1>Busy</h1><p>Come\nlater.", "Busy Come later."),
        ("text/plain", "no\x1b[2Jthing\n", "no\\x1b[2Jthing"),
        ("application/xml", "<e>late</e>", "<e>late</e>"),
    ],
)
def test_failure_includes_what_the_site_says(
    visitor: Visitor, site: Site, media_type: str, body: str, shown: str
) -> None:
    site.serve("/x", answer(body, status="503 Service Unavailable", media_type=media_type))
    told = f"503 Service Unavailable: {site.url}/x\nit says: {shown}"
    assert visitor.refusal(f"{site.url}/x") == ("LOAD_ERROR", told)


@pytest.mark.requirement("web.failed.why")
def test_missing_page_includes_what_an_api_says(visitor: Visitor, site: Site) -> None:
    says = '{"error": "no owl of this name"}'
    site.serve("/owl", answer(says, status="404 Not Found", media_type="application/json"))
    told = f"Not found: {site.url}/owl\nit says: {says}"
    assert visitor.refusal(f"{site.url}/owl") == ("NOT_FOUND", told)


@pytest.mark.requirement("web.failed.why")
def test_what_a_failing_site_says_is_bounded(visitor: Visitor, site: Site) -> None:
    site.serve("/long", answer("word " * 100_000, status="500 Oops", media_type="text/plain"))
    site.serve("/picture", answer(b"\x89PNG", status="500 Oops", media_type="image/png"))
    code, told = visitor.refusal(f"{site.url}/long")
    assert code == "LOAD_ERROR"
    assert len(told.split("\n")[1]) <= 520
    assert visitor.refusal(f"{site.url}/picture") == ("LOAD_ERROR", f"500 Oops: {site.url}/picture")


@pytest.mark.requirement("web.failed")
def test_failure_includes_the_reason(visitor: Visitor, site: Site) -> None:
    site.serve("/cut", answer("x").replace(b"Length: 1", b"Length: 9"))
    site.serve("/endless", lambda _: chunked(itertools.repeat(b"x" * 9999)))
    assert visitor.refusal(f"{site.url}/cut") == ("LOAD_ERROR", f"The answer is cut off: {site.url}/cut")
    told = f"The answer is larger than 10 MiB: {site.url}/endless"
    assert visitor.refusal(f"{site.url}/endless") == ("LOAD_ERROR", told)
    assert visitor.refusal("http://127.0.0.1:1/") == ("LOAD_ERROR", "Connection refused: http://127.0.0.1:1/")
    none = "http://none.example/"
    assert visitor.refusal(none) == ("LOAD_ERROR", f"No such host: none.example: {none}")


@pytest.mark.requirement("web.time")
def test_total_time_is_limited(visitor: Visitor, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of 20 s, shortened, includes redirects."""
    assert web_loader.TOTAL_SECONDS == 20
    monkeypatch.setattr(web_loader, "TOTAL_SECONDS", 0.5)
    site.serve("/drips", lambda _: site.slowly(chunked(itertools.repeat(b"x")), 0.05))
    site.serve("/circles", lambda _: site.slowly([redirect("/circles")], 0.1))
    site.serve("/silent", lambda _: site.slowly([b""], 30))
    for path in ("/drips", "/circles", "/silent"):
        told = f"No answer within 0.5 s: {site.url}{path}"
        assert visitor.refusal(site.url + path) == ("LOAD_ERROR", told)


@pytest.mark.requirement("web.empty")
@pytest.mark.parametrize("status", ["204 No Content", "205 Reset Content"])
def test_empty_response_is_a_page(visitor: Visitor, site: Site, status: str) -> None:
    loaded = visitor.open(site.serve("/", answer(status=status, media_type=None)))
    assert (loaded.uri, loaded.media_type) == (f"{site.url}/", "text/markdown")
    assert status in loaded.body.decode()


@pytest.mark.requirement("web.media_type")
def test_media_type_is_as_declared(visitor: Visitor, site: Site) -> None:
    named = visitor.open(site.page("/named", b"\xff", "Text/HTML; charset=x"))
    silent = visitor.open(site.serve("/silent", answer("<html>", media_type=None)))
    assert (named.media_type, silent.media_type) == ("Text/HTML; charset=x", "")


@pytest.mark.requirement("web.private.redirect", "web.zones")
@pytest.mark.parametrize("kind", ["redirect", "refresh"])
@pytest.mark.parametrize("zone", [Zone.PUBLIC, Zone.PRIVATE])
def test_server_cannot_redirect_to_a_nearer_zone(
    visitor: Visitor, fake_network: FakeNetwork, site: Site, kind: str, zone: Zone
) -> None:
    """Even if the agent typed its URL."""
    fake_network.names["public.example"] = [PUBLIC if zone is Zone.PUBLIC else "192.168.7.7"]
    inside = f"{site.url}/inside"
    site.page("/inside", "secret")
    site.serve("/away", redirect(inside) if kind == "redirect" else answer(REFRESH.format(f"0;url={inside}")))
    site.serve("/out", redirect(named(site, "public.example", "/end")))
    site.page("/end", "public")
    for nearest_zone in (Zone.LOOPBACK, zone):
        code, told = visitor.refusal(named(site, "public.example", "/away"), nearest_zone=nearest_zone)
        assert code == "NOT_TRUSTED"
        assert "127.0.0.1" in told
    assert "/inside" not in site.paths
    site.serve("/hop", redirect("/inside"))
    assert visitor.open(f"{site.url}/hop").zone is Zone.LOOPBACK
    assert visitor.open(f"{site.url}/out").zone is zone
    assert visitor.refusal(f"{site.url}/out", nearest_zone=zone)[0] == "NOT_TRUSTED"


@pytest.mark.requirement("web.own_port")
def test_daemon_urls_are_refused(
    tmp_path: Path, fake_network: FakeNetwork, site: Site, other_site: Site
) -> None:
    site.page("/status", "the daemon's")
    other_site.serve("/", redirect(f"{site.url}/status"))
    with visiting(tmp_path, fake_network, own_port=site.port) as visitor:
        assert visitor.refusal(f"{site.url}/status")[0] == "NOT_TRUSTED"
        assert visitor.refusal(f"{other_site.url}/")[0] == "NOT_TRUSTED"
    assert site.received == []
