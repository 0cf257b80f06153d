"""Who may use the console: links, cookies, keys and origins, as an attacker would try them."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from stringd.plugin import Event
from stringd.testing.process import ANSWER_SECONDS, DaemonProcess, HttpReply
from stringd_console.access.signed_in_browsers import SignedInBrowsers
from tests.console.signing_in import SignedIn, console_link, signed_in

pytestmark = pytest.mark.timeout(60)
PAGES = ("/console", "/console/topics", "/console/nothing", "/console/live?path=/console/topics")
SECRET_TOPIC = "file:very-secret-name"


@pytest.fixture(scope="module", autouse=True)
def _topic(operated: DaemonProcess) -> None:
    operated.exec("/info", SECRET_TOPIC)


@pytest.fixture(scope="module")
def browser(operated: DaemonProcess) -> SignedIn:
    return signed_in(operated)


def ticket_of(link: str) -> str:
    return link.partition("#token=")[2]


def exchange(daemon: DaemonProcess, ticket: str, **headers: str) -> HttpReply:
    return daemon.request("POST", "/console/sign-in", {"ticket": ticket}, {"Origin": daemon.url, **headers})


def without(browser: SignedIn, *names: str, **more: str) -> dict[str, str]:
    return {name: it for name, it in {**browser.headers, **more}.items() if name not in names}


@contextmanager
def following(browser: SignedIn) -> Iterator[http.client.HTTPResponse]:
    """Follow the page of topics, and return the stream at its beginning."""
    connection = http.client.HTTPConnection("127.0.0.1", browser.daemon.port, timeout=ANSWER_SECONDS)
    connection.request("GET", "/console/live?path=/console/topics", headers=browser.headers)
    stream = connection.getresponse()
    assert stream.status == 200
    assert stream.readline() == b": watching\n"
    yield stream
    connection.close()


@pytest.mark.requirement("console.access.link")
def test_link_signs_in_once(operated: DaemonProcess) -> None:
    link = console_link(operated)
    assert link.startswith(f"{operated.url}/console#token=")
    ticket = ticket_of(link)
    assert len(ticket) == 43
    assert exchange(operated, ticket).status == 200
    stolen = exchange(operated, ticket)
    assert (stolen.status, "set-cookie" in stolen.headers) == (403, False)
    assert "used" in stolen.json()["error"]


@pytest.mark.requirement("console.access.link", "console.access.expiry")
def test_only_the_operator_gets_links(operated: DaemonProcess) -> None:
    browser = signed_in(operated)
    for token in ("", "x", "a" * 43, browser.key, browser.cookie.partition("=")[2]):
        reply = operated.request("POST", "/console/tickets", None, {"X-Operator-Token": token})
        assert (reply.status, reply.headers["x-error-code"]) == (403, "OPERATOR_REQUIRED")
        assert reply.json()["error"] == "This is not the token of this daemon's operator."
    reply = operated.request("POST", "/console/tickets", None, browser.headers)
    assert reply.json()["error"] == "A link requires the operator's token in X-Operator-Token."


@pytest.mark.requirement("console.access.expiry")
def test_guessed_tickets_are_refused_like_used_ones(operated: DaemonProcess) -> None:
    used = ticket_of(console_link(operated))
    exchange(operated, used)
    token = operated.operator_token or ""
    tickets = ("", "x", "a" * 43, used, used.swapcase(), token, "\0", "💥" * 10_000)
    replies = [exchange(operated, it) for it in tickets]
    assert {it.status for it in replies} == {403}
    assert len({it.text for it in replies}) == 1


@pytest.mark.requirement("console.access.expiry", "console.access.second_browser")
def test_expired_and_forgotten_tickets_are_refused() -> None:
    events = list[Event]()
    browsers = SignedInBrowsers(events.append)
    assert browsers.sign_in(browsers.make_ticket(-1), "") is None
    first = browsers.make_ticket()
    tickets = [browsers.make_ticket(600) for _ in range(100)]
    assert browsers.sign_in(first, "") is None
    given = [browsers.sign_in(it, "Firefox") for it in tickets]
    assert len({it.cookie for it in given if it} | {it.key for it in given if it}) == 200
    evicted = browsers.listed()[0]
    assert browsers.sign_in(browsers.make_ticket(), "one more")
    assert len(browsers.listed()) == 100
    assert evicted.signed_out.is_set()
    kinds = [it.kind for it in events]
    assert (kinds.count("console-signed-in"), kinds.count("console-signed-out")) == (101, 1)
    assert browsers.browser(given[0].cookie if given[0] else "") is None


@pytest.mark.requirement("console.access.cookie")
def test_cookie_is_for_scripts_of_no_page_and_for_no_other_site(operated: DaemonProcess) -> None:
    reply = exchange(operated, ticket_of(console_link(operated)))
    name, *attributes = reply.headers["set-cookie"].split("; ")
    assert name.startswith(f"stringd_console_{operated.port}=")
    assert sorted(attributes) == ["HttpOnly", "Path=/console", "SameSite=strict"]
    assert reply.json()["key"] not in name


@pytest.mark.requirement("console.access.nothing_without")
@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("cookie", [None, "a" * 43, ""])
def test_without_a_cookie_there_is_only_how_to_get_a_link(
    operated: DaemonProcess, path: str, cookie: str | None
) -> None:
    headers = {} if cookie is None else {"Cookie": f"stringd_console_{operated.port}={cookie}"}
    reply = operated.request("GET", path, headers=headers)
    assert reply.status == 401
    assert "stringd" in reply.text
    assert " console" in reply.text
    assert "very-secret" not in reply.text
    assert "topics" not in reply.text


@pytest.mark.requirement("console.access.key")
@pytest.mark.parametrize("path", ["/console/topics", "/console/nothing"])
def test_cookie_alone_gets_an_empty_page(browser: SignedIn, path: str) -> None:
    reply = browser.daemon.request("GET", path, headers={"Cookie": browser.cookie})
    assert reply.status == 200
    assert "data-opens-page" in reply.text
    assert "very-secret" not in reply.text
    assert browser.key not in reply.text


@pytest.mark.requirement("console.access.key")
def test_key_of_another_browser_does_not_help(operated: DaemonProcess, browser: SignedIn) -> None:
    other = signed_in(operated)
    for key in ("", "x", other.key):
        headers = without(browser, **{"X-Console-Key": key})
        for path in PAGES[1:]:
            assert operated.request("GET", path, headers=headers).status == 401
        assert operated.request("POST", "/console/sign-out", {}, headers).status == 401
    assert "very-secret" in browser.get("/console/topics").text
    assert browser.get("/console/nothing").status == 404


@pytest.mark.requirement("console.access.same_origin", "console.access.acting")
@pytest.mark.parametrize(
    "forged",
    [
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "http://localhost:3100"},
        {"Origin": "https://127.0.0.1"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_other_origins_neither_read_nor_act(browser: SignedIn, forged: Mapping[str, str]) -> None:
    headers = without(browser, **forged)
    for path in ("/console/live?path=/console/topics", "/console/files/runs/export"):
        assert browser.daemon.request("GET", path, headers=headers).status == 403
    page = browser.daemon.request("GET", "/console/topics", headers=headers)
    assert (page.status, "very-secret" in page.text) == (403, False)
    for path in ("sign-out", "act/topics/close"):
        reply = browser.daemon.request("POST", f"/console/{path}", {}, headers)
        assert (reply.status, reply.headers["x-error-code"]) == (403, "OTHER_ORIGIN")


@pytest.mark.requirement("console.access.acting")
@pytest.mark.parametrize("missing", ["Cookie", "X-Console-Key", "Origin"])
def test_acting_takes_cookie_key_and_origin(browser: SignedIn, missing: str) -> None:
    headers = without(browser, missing)
    for path in ("sign-out", "act/topics/close", "act/nothing/nothing"):
        reply = browser.daemon.request("POST", f"/console/{path}", {}, headers)
        assert reply.status == (403 if missing == "Origin" else 401)
    assert browser.act("nothing/nothing").status == 404


@pytest.mark.requirement("console.access.same_origin")
def test_links_are_used_by_pages_of_this_origin_only(operated: DaemonProcess) -> None:
    ticket = ticket_of(console_link(operated))
    for headers in ({"Origin": "http://127.0.0.1:9999"}, {"Sec-Fetch-Site": "same-site"}):
        assert exchange(operated, ticket, **headers).status == 403
    missing = operated.request("POST", "/console/sign-in", {"ticket": ticket})
    assert missing.status == 403
    assert exchange(operated, ticket).status == 200


@pytest.mark.requirement("console.access.same_origin")
def test_names_that_are_bound_to_loopback_later_are_refused(browser: SignedIn) -> None:
    for host in ("rebound.example", f"rebound.example:{browser.daemon.port}", "127.0.0.1.rebound.example"):
        headers = without(browser, Host=host, Origin=f"http://{host}")
        assert browser.daemon.request("GET", "/console/topics", headers=headers).status == 421
        assert browser.daemon.request("POST", "/console/sign-in", {}, headers).status == 421


@pytest.mark.requirement("console.access.no_cors")
def test_responses_are_for_this_origin_and_no_frame(browser: SignedIn) -> None:
    daemon = browser.daemon
    token = {"X-Operator-Token": daemon.operator_token or ""}
    replies = [
        browser.get("/console"),
        browser.get("/console/topics"),
        browser.get("/console/nothing"),
        browser.act("nothing/nothing"),
        daemon.request("GET", "/console/topics", headers={"Cookie": browser.cookie}),
        daemon.request("GET", "/console/static/console.js"),
        daemon.request("GET", "/console/live"),
        daemon.request("GET", "/console/topics"),
        daemon.request("POST", "/console/tickets", headers=token),
        exchange(daemon, "x"),
    ]
    for reply in replies:
        assert not [it for it in reply.headers if it.lower().startswith("access-control-")]
        assert reply.headers["cross-origin-resource-policy"] == "same-origin"
        assert reply.headers["cross-origin-opener-policy"] == "same-origin"
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert reply.headers["x-frame-options"] == "DENY"
        assert reply.headers["x-content-type-options"] == "nosniff"
        policy = reply.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
    assert daemon.request("GET", "/health").headers["access-control-allow-origin"] == "*"


@pytest.mark.requirement("console.access.no_cors")
def test_streams_are_for_this_origin_too(browser: SignedIn) -> None:
    with following(browser) as stream:
        assert stream.headers["cross-origin-resource-policy"] == "same-origin"
        assert stream.headers["access-control-allow-origin"] is None


@pytest.mark.requirement("console.access.sign_out")
def test_signing_out_ends_streams_and_cookies(operated: DaemonProcess) -> None:
    leaving, staying = signed_in(operated), signed_in(operated)
    with following(leaving) as stream, following(staying) as other:
        reply = operated.request("POST", "/console/sign-out", {}, leaving.headers)
        assert (reply.status, reply.json()) == (200, {"go": "/console"})
        assert stream.read().endswith(b"\n\n")
        operated.exec("/info", "file:after-signing-out")
        while b"after-signing-out" not in other.readline():
            pass
    assert leaving.get("/console/topics").status == 401
    assert staying.get("/console/topics").status == 200


@pytest.mark.requirement("console.access.second_browser")
def test_signing_in_again_replaces_the_earlier_cookie(operated: DaemonProcess) -> None:
    first = signed_in(operated)
    again = exchange(operated, ticket_of(console_link(operated)), Cookie=first.cookie)
    assert again.status == 200
    assert first.get("/console/topics").status == 401


@pytest.mark.requirement("console.access.restart", "console.access.no_operator")
def test_cookies_end_with_the_daemon(tmp_path: Path) -> None:
    daemon = DaemonProcess(tmp_path, (), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    browser, link = signed_in(daemon), console_link(daemon)
    with following(browser) as stream:
        daemon.stop()
        stream.read()
    daemon.start()
    stale = signed_in(daemon)
    assert exchange(daemon, ticket_of(link)).status == 403
    for headers in (browser.headers, without(stale, **{"X-Console-Key": browser.key})):
        assert daemon.request("GET", "/console/topics", headers=headers).status == 401
    daemon.kill()


@pytest.mark.requirement("console.access.no_operator", "console.access.nothing_without")
def test_daemon_without_an_operator_says_what_to_do(daemon: DaemonProcess) -> None:
    page = daemon.request("GET", "/console")
    assert page.status == 401
    command = f"stringd --port {daemon.port}"
    assert f"{command} shutdown\n{command} console<" in page.text
    refused = daemon.request("POST", "/console/tickets", None, {"X-Operator-Token": "x"})
    assert refused.json()["error"] == "This daemon has no operator, who alone could get a link."


@pytest.mark.requirement("console.access.odd_requests")
@pytest.mark.parametrize(
    "path",
    [
        "..%2fpage_frame.py",
        "%2e%2e/page_frame.py",
        "console.js%00",
        "templates",
        "%2fetc%2fpasswd",
        "",
        "a/b",
    ],
)
def test_only_files_of_the_console_are_served(operated: DaemonProcess, path: str) -> None:
    reply = operated.request("GET", f"/console/static/{path}")
    assert reply.status in {401, 404}
    assert "import" not in reply.text
    assert "root:" not in reply.text


@pytest.mark.requirement("console.access.odd_requests")
@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "POST"])
def test_methods_that_pages_lack_are_refused(browser: SignedIn, method: str) -> None:
    reply = browser.daemon.request(method, "/console/topics", headers=browser.headers)
    assert reply.status == 405
    assert browser.daemon.request("GET", "/console/sign-out", headers=browser.headers).status == 404


@pytest.mark.requirement("console.access.odd_requests", "console.access.no_cors")
def test_head_and_options_give_nothing_away(browser: SignedIn) -> None:
    head = browser.daemon.request("HEAD", "/console/topics", headers={"Cookie": browser.cookie})
    assert (head.status, head.body) == (200, b"")
    options = browser.daemon.request("OPTIONS", "/console/act/topics/close")
    assert options.status == 204
    assert "console-key" not in options.headers["access-control-allow-headers"].lower()


BODIES: Mapping[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "no JSON": lambda: b"\xff\xfe",
    "a list": lambda: b"[]",
    "deep": lambda: b"[" * 200_000,
    "a number": lambda: b'{"ticket": 1}',
    "nested": lambda: b'{"ticket": {"a": "b"}}',
    "half a pair": lambda: json.dumps({"ticket": "\ud800"}).encode(),
    "NaN": lambda: b"NaN",
    "twice": lambda: b'{"ticket": "x"}{"ticket": "x"}',
}


@pytest.mark.requirement("console.access.odd_requests")
@pytest.mark.parametrize("body", BODIES)
def test_odd_bodies_are_refused(browser: SignedIn, body: str) -> None:
    for path in ("sign-in", "act/topics/send"):
        reply = browser.daemon.request("POST", f"/console/{path}", BODIES[body](), browser.headers)
        assert (reply.status, reply.headers["x-error-code"]) == (400, "INVALID_BODY")


@pytest.mark.requirement("console.access.odd_requests")
def test_enormous_bodies_are_refused(browser: SignedIn) -> None:
    enormous = b'{"ticket": "' + b"x" * (10 * 1024 * 1024) + b'"}'
    for path in ("sign-in", "act/topics/send"):
        assert browser.daemon.request("POST", f"/console/{path}", enormous, browser.headers).status == 413


@pytest.mark.requirement("console.access.expiry")
def test_one_link_for_many_at_once_signs_one_in(operated: DaemonProcess) -> None:
    ticket, statuses = ticket_of(console_link(operated)), list[int]()
    threads = [
        threading.Thread(target=lambda: statuses.append(exchange(operated, ticket).status)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] + [403] * 7
