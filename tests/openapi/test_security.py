"""Secrets get into requests as the security schemes of the description say."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.service import Service
from tests.apps.shelf import refused
from tests.openapi.conftest import Install
from tests.openapi.zoo import operation, zoo

APP = "app:zoo"
SECRET = "s3cret-value"


def secured(url: str, schemes: dict[str, Any], *alternatives: list[str]) -> dict[str, Any]:
    """A description whose only operation needs one of the alternatives."""
    security: list[dict[str, list[str]]] = [
        {name: [] for name in names} for names in alternatives or [list(schemes)]
    ]
    return zoo(
        url,
        paths={"/a": {"get": operation("look", security=security)}},
        components={"securitySchemes": schemes},
    )


@pytest.fixture
def look(daemon: DaemonProcess, install: Install, service: Service) -> Callable[..., Any]:
    """Install a secured service, and return a function that sets secrets and calls it."""

    def prepare(schemes: dict[str, Any], *alternatives: list[str]) -> None:
        install(secured(service.url, schemes, *alternatives))
        assert daemon.exec("/open app:zoo/tags/pets.md", APP).head["ok"]

    return prepare


def put(daemon: DaemonProcess, **secrets: str) -> None:
    for name, value in secrets.items():
        assert daemon.exec(f'/set ${name} = "{value}"', APP).head["ok"]


@pytest.mark.requirement("openapi.security.keys")
@pytest.mark.parametrize("location", ["header", "query", "cookie"])
def test_keys_are_sent_where_the_scheme_says(
    daemon: DaemonProcess, look: Callable[..., None], service: Service, location: str
) -> None:
    look({"apiKey": {"type": "apiKey", "in": location, "name": "X-Key"}})
    code, text = refused(daemon, "/act.look", APP)
    assert code == "ENV_REQUIRED"
    assert '/set $API_KEY = "..."' in text
    assert not service.received
    put(daemon, API_KEY=SECRET)
    shown = daemon.exec("/act.look", APP).content
    assert SECRET not in shown
    sent = {
        "header": service.last.headers.get("X-Key"),
        "query": parse_qs(urlsplit(service.last.target).query).get("X-Key", [None])[0],
        "cookie": service.last.headers.get("Cookie", "").partition("X-Key=")[2],
    }
    assert sent[location] == SECRET


@pytest.mark.requirement("openapi.security.http")
def test_basic_and_bearer_are_headers(
    daemon: DaemonProcess, look: Callable[..., None], service: Service
) -> None:
    look(
        {"basic": {"type": "http", "scheme": "Basic"}, "token": {"type": "http", "scheme": "bearer"}},
        ["basic"],
        ["token"],
    )
    text = refused(daemon, "/act.look", APP)[1]
    assert 'Set it: /set $BASIC_USERNAME = "..."; /set $BASIC_PASSWORD = "..."\nor: /set $TOKEN_TOKEN' in text
    put(daemon, BASIC_USERNAME="ann", BASIC_PASSWORD="p:w")
    assert daemon.exec("/act.look", APP).head["ok"]
    expected = base64.b64encode(b"ann:p:w").decode()
    assert service.last.headers["Authorization"] == f"Basic {expected}"
    put(daemon, TOKEN_TOKEN="t1", BASIC_PASSWORD="")
    assert daemon.exec("/act.look", APP).head["ok"]
    assert service.last.headers["Authorization"] == "Bearer t1"


@pytest.mark.requirement("openapi.security.redirects")
def test_redirects_to_others_carry_no_secrets(
    daemon: DaemonProcess, look: Callable[..., None], service: Service
) -> None:
    look({"apiKey": {"type": "apiKey", "in": "header", "name": "X-Key"}})
    put(daemon, API_KEY=SECRET)
    other = service.url.replace("127.0.0.1", "localhost")
    service.redirect("/a", f"{other}/b")
    assert daemon.exec("/act.look", APP).head["ok"]
    assert service.received[0].headers["X-Key"] == SECRET
    assert service.last.target == "/b"
    assert service.last.headers["X-Key"] is None


@pytest.mark.requirement("openapi.security.masked")
def test_echoed_secrets_are_masked(
    daemon: DaemonProcess, look: Callable[..., None], service: Service
) -> None:
    look({"apiKey": {"type": "apiKey", "in": "query", "name": "key"}})
    put(daemon, API_KEY=SECRET)
    service.answer("/a", {"message": f"bad key {SECRET}"}, status=403)
    text = refused(daemon, "/act.look", APP)[1]
    assert SECRET not in text
    assert "bad key $API_KEY" in text
    assert '/set $API_KEY = "..."' in text


@pytest.mark.requirement("openapi.security.masked")
@pytest.mark.parametrize(
    "body",
    [
        {
            "seen": {"X-Key": SECRET, SECRET: 1},
            "list": [f"a {SECRET}"],
            "url": f"https://a.example/?key={SECRET}",
        },
        {"encoded": base64.b64encode(f"x:{SECRET}".encode()).decode()},
        f"You sent {SECRET}.",
        f"<h1>{SECRET}</h1><a href='/x?key={SECRET}'>x</a>",
    ],
)
def test_secrets_are_masked_in_all_of_an_answer(
    daemon: DaemonProcess, look: Callable[..., None], service: Service, body: object
) -> None:
    look({"apiKey": {"type": "apiKey", "in": "header", "name": "X-Key"}})
    put(daemon, API_KEY=SECRET)
    is_page = isinstance(body, str) and body.startswith("<")
    service.answer("/a", body, media_type="text/html" if is_page else "", Link=f"</a?k={SECRET}>; rel=next")
    shown = daemon.exec("/act.look", APP).content + daemon.exec("/info", APP).content
    for hidden in (SECRET, base64.b64encode(f"x:{SECRET}".encode()).decode()[4:-4]):
        assert hidden not in shown
    assert "$API_KEY" in shown
    assert "[next] /act.next" in shown
    assert SECRET not in daemon.exec("/act.next", APP).content


@pytest.mark.requirement("openapi.security.masked")
def test_encoded_and_obtained_secrets_are_masked(
    daemon: DaemonProcess, look: Callable[..., None], service: Service
) -> None:
    flow = {"tokenUrl": f"{service.url}/token", "scopes": {}}
    oauth = {"type": "oauth2", "flows": {"clientCredentials": flow}}
    look({"basic": {"type": "http", "scheme": "Basic"}, "oauth": oauth}, ["oauth"], ["basic"])
    put(daemon, BASIC_USERNAME="an", BASIC_PASSWORD="p:w")
    service.answer("/a", {"seen": f"Basic {base64.b64encode(b'an:p:w').decode()}"})
    assert "Basic $BASIC_USERNAME:$BASIC_PASSWORD" in daemon.exec("/act.look", APP).content
    put(daemon, BASIC_PASSWORD="", OAUTH_CLIENT_ID="me", OAUTH_CLIENT_SECRET="shh-shh")
    service.answer("/token", {"access_token": "token-1", "expires_in": 3600})
    service.answer("/a", {"seen": "Bearer token-1"}, status=500)
    assert "Bearer $OAUTH_ACCESS_TOKEN" in refused(daemon, "/act.look", APP)[1]
    put(daemon, OAUTH_ACCESS_TOKEN="")
    service.answer("/a", {"seen": "Bearer token-1"})
    assert "Bearer $OAUTH_ACCESS_TOKEN" in daemon.exec("/act.look", APP).content


@pytest.mark.requirement("openapi.security.clients")
def test_client_credentials_get_a_token_that_is_kept(
    daemon: DaemonProcess, look: Callable[..., None], service: Service
) -> None:
    flow = {"tokenUrl": f"{service.url}/token", "scopes": {}}
    look({"oauth": {"type": "oauth2", "flows": {"clientCredentials": flow}}})
    put(daemon, OAUTH_CLIENT_ID="me", OAUTH_CLIENT_SECRET="shh")
    service.answer("/token", {"access_token": "tok-1", "expires_in": 3600})
    for _ in range(2):
        assert daemon.exec("/act.look", APP).head["ok"]
        assert service.last.headers["Authorization"] == "Bearer tok-1"
    assert [it.target for it in service.received] == ["/token", "/a", "/a"]
    assert service.received[0].headers["Authorization"] == f"Basic {base64.b64encode(b'me:shh').decode()}"
    assert parse_qs(service.received[0].body.decode())["grant_type"] == ["client_credentials"]
    service.answer("/a", "expired", status=401)
    refused(daemon, "/act.look", APP)
    assert [it.target for it in service.received[3:]] == ["/a", "/token", "/a"]
    service.answer("/token", {"error": "invalid_client"}, status=401)
    code, text = refused(daemon, "/act.look", APP)
    assert code == "ACTION_FAILED"
    assert "invalid_client" in text
    assert '/set $OAUTH_ACCESS_TOKEN = "..."' in text
