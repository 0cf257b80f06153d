"""A person consents in a browser, and the access token is obtained with PKCE."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from stringd.testing.process import DaemonProcess
from tests.actions.service import Service
from tests.apps.shelf import put, refused
from tests.openapi.test_security import secured


@pytest.fixture(scope="module")
def operated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon with an operator, who is not attached."""
    folder = tmp_path_factory.mktemp("consent")
    daemon = DaemonProcess(folder, (), {}, port=0, data_dir=None, operator=True)
    daemon.start()
    daemon.register("default", daemon.home)
    yield daemon
    daemon.stop()


class Consenting:
    """A call that waits for consent, and what the person's browser is sent to."""

    def __init__(self, daemon: DaemonProcess, service: Service, scheme: dict[str, Any], name: str) -> None:
        self._daemon = daemon
        self._service = service
        self.app = f"app:{name}"
        document = {**secured(service.url, {"login": scheme}), "info": {"title": name}}
        put(daemon.home / f"{name}.json", json.dumps(document))
        installed = daemon.exec(f"/install {name}.json --as {name}")
        assert installed.head["ok"], installed.content
        daemon.exec(f"/open {self.app}/tags/pets.md", self.app)
        self.refusal = refused(daemon, "/act.look", self.app)
        daemon.exec('/set $LOGIN_CLIENT_ID = "me"', self.app)
        service.answer("/token", {"access_token": "tok-9", "refresh_token": "ref-9"})
        self.replies: list[Any] = []
        self._caller = threading.Thread(target=self._call)
        self._caller.start()
        body = self._question()["body"]
        self.url = next(line for line in body.splitlines() if line.startswith("http"))
        self.asked = {name: values[0] for name, values in parse_qs(urlsplit(self.url).query).items()}

    def _call(self) -> None:
        self.replies.append(self._daemon.exec("/act.look", self.app))

    def _question(self) -> dict[str, Any]:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            if found := self._daemon.request("GET", "/questions").json()["questions"]:
                return dict(found[0])
            time.sleep(0.02)
        raise AssertionError(f"nothing was asked: {self.replies}")

    def redirected(self, code: str, state: str) -> Any:
        """What the browser shows after the service has sent it back."""
        return self._daemon.request("GET", f"/openapi/callback?code={code}&state={state}")

    def reply(self) -> Any:
        """The reply to the call."""
        self._caller.join(10)
        assert self.replies, "the call still waits"
        return self.replies[0]

    def exchanged(self) -> dict[str, str]:
        """What was sent for the code."""
        body = next(it.body.decode() for it in self._service.received if it.target == "/token")
        return {name: values[0] for name, values in parse_qs(body).items()}


@pytest.mark.long
@pytest.mark.requirement("openapi.security.consent")
def test_a_person_consents_with_pkce(operated: DaemonProcess, service: Service) -> None:
    urls = {"authorizationUrl": f"{service.url}/authorize?x=1", "tokenUrl": f"{service.url}/token"}
    flows = {"authorizationCode": {**urls, "scopes": {}}}
    consenting = Consenting(operated, service, {"type": "oauth2", "flows": flows}, "pkce")
    assert '/set $LOGIN_CLIENT_ID = "..."' in consenting.refusal[1]
    asked = consenting.asked
    assert (asked["client_id"], asked["code_challenge_method"], asked["x"]) == ("me", "S256", "1")
    assert asked["redirect_uri"] == f"{operated.url}/openapi/callback"
    assert consenting.redirected("c-1", "another").status == 404
    page = consenting.redirected("c-1", asked["state"])
    assert (page.status, "close this page" in page.text) == (200, True)
    assert consenting.reply().head["ok"], consenting.reply().content
    sent = consenting.exchanged()
    assert (sent["code"], sent["client_id"], sent["redirect_uri"]) == ("c-1", "me", asked["redirect_uri"])
    digest = hashlib.sha256(sent["code_verifier"].encode()).digest()
    assert asked["code_challenge"] == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    assert service.last.headers["Authorization"] == "Bearer tok-9"
    service.answer("/a", "expired", status=401)
    refused(operated, "/act.look", consenting.app)
    renewal = [it for it in service.received if it.target == "/token"][-1]
    assert parse_qs(renewal.body.decode())["refresh_token"] == ["ref-9"]


@pytest.mark.requirement("openapi.security.consent")
def test_openid_connect_is_discovered(operated: DaemonProcess, service: Service) -> None:
    endpoints = {"authorization_endpoint": f"{service.url}/login", "token_endpoint": f"{service.url}/token"}
    service.answer("/.well-known/openid-configuration", endpoints)
    scheme = {
        "type": "openIdConnect",
        "openIdConnectUrl": f"{service.url}/.well-known/openid-configuration",
    }
    consenting = Consenting(operated, service, scheme, "oidc")
    assert consenting.url.startswith(f"{service.url}/login?response_type=code&")
    denied = f"error=access_denied&state={consenting.asked['state']}"
    assert operated.request("GET", f"/openapi/callback?{denied}").status == 400
    consenting.redirected("c-2", consenting.asked["state"])
    assert consenting.reply().head["ok"], consenting.reply().content
    assert consenting.exchanged()["code"] == "c-2"


@pytest.mark.requirement("openapi.security.consent")
def test_without_an_operator_a_token_can_be_set(daemon: DaemonProcess, service: Service) -> None:
    flows = {
        "authorizationCode": {"authorizationUrl": f"{service.url}/a", "tokenUrl": "/token", "scopes": {}}
    }
    document = secured(service.url, {"login": {"type": "oauth2", "flows": flows}})
    put(daemon.home / "api.json", json.dumps(document))
    daemon.exec("/install api.json --as zoo")
    daemon.exec("/open app:zoo/tags/pets.md", "app:zoo")
    daemon.exec('/set $LOGIN_CLIENT_ID = "me"', "app:zoo")
    code, text = refused(daemon, "/act.look", "app:zoo")
    assert code == "OPERATOR_REQUIRED"
    assert '/set $LOGIN_ACCESS_TOKEN = "..."' in text
    daemon.exec('/set $LOGIN_ACCESS_TOKEN = "own"', "app:zoo")
    assert daemon.exec("/act.look", "app:zoo").head["ok"]
    assert service.last.headers["Authorization"] == "Bearer own"
