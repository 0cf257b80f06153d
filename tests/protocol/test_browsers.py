"""Web pages in the user's browser cannot control the daemon: Origin and Host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.protocol.waits import recorded

if TYPE_CHECKING:
    from stringd.testing.process import DaemonProcess

LOOPBACK_ORIGINS = [
    "http://localhost",
    "http://localhost:5173",
    "https://localhost:8443",
    "http://127.0.0.1:8000",
    "http://[::1]:3000",
    "HTTP://LOCALHOST:80",
]
FOREIGN_ORIGINS = [
    "https://example.org",
    "http://localhost.example.org",
    "http://127.0.0.1.example.org",
    "http://example.org/localhost",
    "http://localhost@example.org",
    "http://192.168.1.10",
    "http://0.0.0.0",
    "chrome-extension://localhost.example.org",
    "null",
    "nonsense",
]
LOOPBACK_HOSTS = [
    "127.0.0.1",
    "127.0.0.1:{port}",
    "localhost",
    "localhost:{port}",
    "LocalHost:{port}",
    "[::1]:{port}",
]
FOREIGN_HOSTS = [
    "example.org",
    "example.org:{port}",
    "localhost.example.org",
    "127.0.0.1.example.org:{port}",
    "192.168.1.10:{port}",
    "0.0.0.0:{port}",
    "localhost@example.org",
]
ENDPOINTS = [
    ("GET", "/health"),
    ("GET", "/users"),
    ("POST", "/users"),
    ("DELETE", "/users/default"),
    ("GET", "/sessions"),
    ("POST", "/sessions"),
    ("DELETE", "/sessions/default/file:main"),
    ("POST", "/exec"),
    ("POST", "/shutdown"),
]


@pytest.mark.requirement("origin.loopback")
def test_loopback_origins_are_served(shared: DaemonProcess) -> None:
    for origin in LOOPBACK_ORIGINS:
        answer = shared.request("GET", "/health", headers={"Origin": origin})
        assert (origin, answer.status) == (origin, 200)


@pytest.mark.requirement("origin.loopback")
def test_foreign_origins_are_403(shared: DaemonProcess) -> None:
    for origin in FOREIGN_ORIGINS:
        answer = shared.request("GET", "/health", headers={"Origin": origin})
        assert (origin, answer.status) == (origin, 403)
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert isinstance(answer.json()["error"], str)


@pytest.mark.requirement("host.loopback")
def test_loopback_hosts_are_served(shared: DaemonProcess) -> None:
    for host in (form.format(port=shared.port) for form in LOOPBACK_HOSTS):
        answer = shared.request("GET", "/health", headers={"Host": host})
        assert (host, answer.status) == (host, 200)


@pytest.mark.requirement("host.loopback")
def test_foreign_hosts_are_421(shared: DaemonProcess) -> None:
    for host in (form.format(port=shared.port) for form in FOREIGN_HOSTS):
        answer = shared.request("GET", "/health", headers={"Host": host})
        assert (host, answer.status) == (host, 421)
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert isinstance(answer.json()["error"], str)


@pytest.mark.requirement("origin.loopback", "host.loopback")
@pytest.mark.parametrize(("header", "status"), [("Origin", 403), ("Host", 421)])
def test_every_endpoint_is_guarded(shared: DaemonProcess, header: str, status: int) -> None:
    for method, path in ENDPOINTS:
        answer = shared.request(method, path, {}, headers={header: "example.org", "X-User-Id": "default"})
        assert (method, path, answer.status) == (method, path, status)
    assert [user["id"] for user in shared.request("GET", "/users").json()["users"]] == ["default"]


@pytest.mark.requirement("origin.loopback", "host.loopback")
@pytest.mark.parametrize("guard", [{"Origin": "https://example.org"}, {"Host": "example.org"}])
def test_refused_command_does_nothing(probed: DaemonProcess, guard: dict[str, str]) -> None:
    headers = {"X-User-Id": "default", **guard}
    assert probed.request("POST", "/exec", {"cmd": "/record foreign"}, headers=headers).status in {403, 421}
    probed.exec("/record own")
    assert recorded(probed) == ["own"]


@pytest.mark.requirement("origin.allowed")
def test_allow_origin_admits_exactly_that_origin(start_daemon: Any) -> None:
    daemon = start_daemon("--allow-origin", "https://tool.example.org")
    expected = {
        "https://tool.example.org": 200,
        "http://localhost:5173": 200,
        "http://tool.example.org": 403,
        "https://tool.example.org:8443": 403,
        "https://other.example.org": 403,
        "https://tool.example.org.example.net": 403,
    }
    seen = {
        origin: daemon.request("GET", "/health", headers={"Origin": origin}).status for origin in expected
    }
    assert seen == expected
