"""Browsers at the door: no page of another origin gets in, and the console is for who has a link."""

from __future__ import annotations

from collections.abc import Mapping
from http.cookies import SimpleCookie

import pytest

from stringd.testing.process import HttpReply
from tests.cluster.access.door_client import Doorstep, bearer

pytestmark = pytest.mark.long

HOST = "strings.example.com"
ORIGINS = (f"https://{HOST}", f"http://{HOST}")
FOREIGN = ("https://evil.example", "http://localhost:8000", f"https://{HOST}.evil.example", "null")


@pytest.mark.requirement("cluster.door.cors")
@pytest.mark.parametrize("origin", [*FOREIGN, *ORIGINS])
def test_preflights_are_refused(door: Doorstep, origin: str) -> None:
    asked = {
        "Host": HOST,
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    for path in ("/exec", "/sessions", "/nothing-there"):
        refused = door.ask("OPTIONS", path, headers=asked)
        assert refused.status == 401
        assert not cors_of(refused)


@pytest.mark.requirement("cluster.door.cors")
def test_no_answer_may_be_read_by_pages_of_other_origins(door: Doorstep) -> None:
    token = door.token("ann")
    for origin in FOREIGN:
        for path in ("/health", "/sessions", "/console"):
            refused = door.ask("GET", path, token=token, headers={"Origin": origin})
            assert (refused.status, refused.headers["X-Error-Code"]) == (403, "ORIGIN_NOT_ALLOWED")
            assert not cors_of(refused)
    assert not cors_of(door.execute(token))


@pytest.mark.requirement("cluster.door.host")
def test_a_node_answers_to_any_name(door: Doorstep) -> None:
    token = door.token("ann")
    assert door.execute(token, Host=HOST).status == 200
    assert door.execute(token, Host=HOST, Origin=ORIGINS[0]).status == 200
    assert door.execute(token, Host=f"{HOST}:3100", Origin=f"http://{HOST}:3100").status == 200
    assert door.execute(token, Host=f"{HOST}:3100", Origin=f"http://{HOST}").status == 403


@pytest.mark.requirement("cluster.door.console")
@pytest.mark.parametrize("origin", ORIGINS)
def test_a_browser_uses_the_console_by_a_link(door: Doorstep, origin: str) -> None:
    ticket = ticket_of(door)
    page = {"Host": HOST, "Origin": origin, "Sec-Fetch-Site": "same-origin"}
    signed_in = door.ask("POST", "/console/sign-in", {"ticket": ticket}, headers=page)
    assert signed_in.status == 200, signed_in.text
    cookie = SimpleCookie(signed_in.headers["Set-Cookie"])
    (morsel,) = cookie.values()
    assert bool(morsel["secure"]) is origin.startswith("https")
    own = {**page, "Cookie": f"{morsel.key}={morsel.value}", "X-Console-Key": signed_in.json()["key"]}
    topics = door.ask("GET", "/console/topics", headers=own)
    assert (topics.status, "Topics" in topics.text) == (200, True)
    assert door.ask("POST", "/console/sign-out", {}, headers={**own, "Origin": FOREIGN[0]}).status == 403
    assert door.ask("POST", "/console/sign-out", {}, headers=own).status == 200
    assert door.ask("GET", "/console/topics", headers=own).status == 401


@pytest.mark.requirement("cluster.door.console")
def test_the_console_shows_nothing_without_a_link(door: Doorstep) -> None:
    for headers in ({}, bearer(door.token("ann")), bearer(door.token("root", "admin"))):
        for path in ("/console", "/console/topics", "/console/users", "/console/log"):
            reply = door.ask("GET", path, headers=headers)
            assert (reply.status, "Sign in" in reply.text) == (401, True), path
        for path in ("/console/live?path=/console/topics", "/console/files/log/events"):
            assert door.ask("GET", path, headers=headers).status == 401, path
    page: Mapping[str, str] = {"Host": HOST, "Origin": ORIGINS[0]}
    assert door.ask("POST", "/console/act/topics/close", {}, headers=page).status == 401
    assert door.ask("POST", "/console/sign-in", {"ticket": "x" * 43}, headers=page).status == 403
    foreign = {**page, "Origin": FOREIGN[0]}
    assert door.ask("POST", "/console/sign-in", {"ticket": ticket_of(door)}, headers=foreign).status == 403


def ticket_of(door: Doorstep) -> str:
    """Have a link made, and return its ticket."""
    made = door.ask("POST", "/console/tickets", token=door.token("root", "admin"))
    return str(made.json()["url"]).partition("#token=")[2]


def cors_of(reply: HttpReply) -> list[str]:
    """The names of the headers by which a page of another origin may read an answer."""
    return [it for it in reply.headers if it.lower().startswith("access-control-")]
