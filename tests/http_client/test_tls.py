"""TLS verifies the host name although connections go to resolved addresses."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from stringd.api.http import BodySink
from tests.http_client.fake_network import LIMIT, PUBLIC, FakeNetwork, named
from tests.web.certificates import Authority, needs_openssl
from tests.web.server import serving

pytestmark = [needs_openssl, pytest.mark.requirement("web.tls")]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def trusting(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """The authority, trusted as the administrator of a machine would have it."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    return authority


def test_a_valid_certificate(fake_network: FakeNetwork, trusting: Authority) -> None:
    fake_network.names["site.example"] = [PUBLIC]
    with serving(trusting.server("site.example", "127.0.0.1")) as site:
        site.page("/", "safe")
        by_name, by_address = fake_network.exchange(named(site, "site.example"), f"{site.url}/")
        assert (by_name.body, by_address.body) == (b"safe", b"safe")
        assert [it.headers["Host"].partition(":")[0] for it in site.received] == ["site.example", "127.0.0.1"]


@pytest.mark.parametrize(
    ("names", "days", "told"),
    [
        (["other.example"], 2, "Hostname mismatch"),
        (["127.0.0.1"], 2, "Hostname mismatch"),
        (["site.example"], -1, "certificate has expired"),
    ],
)
def test_an_invalid_certificate(
    fake_network: FakeNetwork, trusting: Authority, names: list[str], days: int, told: str
) -> None:
    fake_network.names["site.example"] = [PUBLIC]
    with serving(trusting.server(*names, days=days)) as site:
        site.page("/", "unsafe")
        assert told in fake_network.failure(named(site, "site.example"))
        assert site.received == []


def test_an_unknown_authority(fake_network: FakeNetwork, authority: Authority) -> None:
    with serving(authority.server("127.0.0.1")) as site:
        assert fake_network.failure(f"{site.url}/").startswith("TLS: ")
        assert "unable to get local issuer certificate" in fake_network.failure(f"{site.url}/")


def test_unreadable_authorities(
    fake_network: FakeNetwork, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    assert fake_network.failure("https://127.0.0.1:1/").startswith(
        "TLS: the certificates of authorities can't be read"
    )


def test_connections_are_not_shared_between_names(fake_network: FakeNetwork, trusting: Authority) -> None:
    fake_network.names = {"site.example": [PUBLIC], "bank.example": [PUBLIC]}
    with serving(trusting.server("site.example")) as site:
        site.page("/", "here")
        fake_network.exchange(named(site, "site.example"))
        with pytest.raises(Exception, match="Hostname mismatch"):
            fake_network.exchange(named(site, "site.example"), named(site, "bank.example"))


def test_plain_http_where_tls_is_expected(fake_network: FakeNetwork) -> None:
    with serving() as site:
        told = fake_network.failure(f"https://127.0.0.1:{site.port}/")
        assert told.startswith("TLS: ")
        assert site.received == []


@pytest.mark.parametrize(
    ("spoken", "told"),
    [(b"", "TLS: the connection was closed"), (b"220 mail.example ready\r\n", "TLS: wrong version number")],
)
def test_a_server_without_tls_that_ends_the_handshake(
    fake_network: FakeNetwork, spoken: bytes, told: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        answering = threading.Thread(target=_speak_and_leave, args=(listener, spoken), daemon=True)
        answering.start()
        assert fake_network.failure(f"https://127.0.0.1:{listener.getsockname()[1]}/") == told
        answering.join(10)


def _speak_and_leave(listener: socket.socket, spoken: bytes) -> None:
    """Say something before the client does, wait for what it says, and close."""
    connection, _ = listener.accept()
    with connection, suppress(ConnectionResetError):
        connection.sendall(spoken)
        connection.recv(65536)


def test_large_bodies_in_both_directions(fake_network: FakeNetwork, trusting: Authority) -> None:
    sent, expected = bytes(5_000_000), b"x" * 5_000_000
    with serving(trusting.server("127.0.0.1")) as site:
        site.page("/", expected)
        (response,) = fake_network.exchange(f"{site.url}/", method="POST", body=sent)
        assert (site.last.body, response.body) == (sent, expected)


def test_a_body_that_ends_with_the_connection_is_read_after_its_end(
    fake_network: FakeNetwork, trusting: Authority
) -> None:
    """The server has closed, without ending TLS, before the second piece is wanted."""
    body, has_closed, pieces = b"x" * 500_000, threading.Event(), []

    async def keep(piece: bytes) -> None:
        pieces.append(piece)
        assert await asyncio.to_thread(has_closed.wait, 10)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        arguments = (listener, trusting.server("127.0.0.1"), body, has_closed)
        threading.Thread(target=_send_and_close, args=arguments, daemon=True).start()
        url = f"https://127.0.0.1:{listener.getsockname()[1]}/"
        fake_network.exchange(url, sink=BodySink(write=keep, limit=LIMIT))
    assert b"".join(pieces) == body


def _send_and_close(
    listener: socket.socket, context: ssl.SSLContext, body: bytes, has_closed: threading.Event
) -> None:
    connection, _ = listener.accept()
    with context.wrap_socket(connection, server_side=True) as talking:
        talking.recv(65536)
        talking.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + body)
    has_closed.set()
