"""Clients verify the certificate of a daemon with a URL."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stringd.client import Client, DaemonAddress, DaemonUnreachable
from stringd.errors import Fault
from tests.client.drivers import Talk
from tests.client.fake import FakeDaemon, answer
from tests.cluster.clients.conftest import TOKEN, health
from tests.cluster.clients.server_certificate import ServerCertificate

RUN = ("exec", "file:main", "/x")
STRING = str(Path(sys.executable).with_name("string"))


@pytest.fixture
def certificate(tmp_path: Path) -> ServerCertificate:
    return ServerCertificate(tmp_path, "127.0.0.1")


@pytest.fixture
def encrypted(certificate: ServerCertificate) -> Iterator[FakeDaemon]:
    with FakeDaemon(routes={"GET /health": [health("0.2")]}, tls=certificate.tls()) as server:
        yield server


def run_string(server: FakeDaemon, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
    url = f"https://127.0.0.1:{server.port}"
    command = [STRING, "--url", url, *options, "file:main", "/x"]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=20, env=env, check=False)


@pytest.mark.requirement("cluster.client.tls")
def test_certificate_of_a_given_authority_is_accepted(
    encrypted: FakeDaemon, certificate: ServerCertificate, talk: Talk
) -> None:
    encrypted.answers += [answer("Hello"), answer("Hello")]
    url = f"https://127.0.0.1:{encrypted.port}"
    address = DaemonAddress.of_url(url, token=TOKEN, ca_file=certificate.ca_file)
    first, second = talk(None, RUN, RUN, address=address)
    assert (first.content, second.content) == ("Hello", "Hello")


@pytest.mark.requirement("cluster.client.tls")
def test_unknown_authority_is_refused_before_anything_is_sent(encrypted: FakeDaemon, talk: Talk) -> None:
    url = f"https://127.0.0.1:{encrypted.port}"
    with pytest.raises(DaemonUnreachable, match=rf"^The certificate at {url} is not accepted: .*--ca-file"):
        talk(None, RUN, address=DaemonAddress.of_url(url, token=TOKEN))
    assert not encrypted.seen


@pytest.mark.requirement("cluster.client.tls")
def test_certificate_of_another_host_is_refused(tmp_path: Path, talk: Talk) -> None:
    other = ServerCertificate(tmp_path, "192.0.2.1")
    with FakeDaemon(tls=other.tls()) as server:
        address = DaemonAddress.of_url(f"https://127.0.0.1:{server.port}", ca_file=other.ca_file)
        with pytest.raises(DaemonUnreachable, match="is not accepted: IP address mismatch"):
            talk(None, RUN, address=address)
        assert not server.seen


@pytest.mark.requirement("cluster.client.tls")
def test_file_without_authorities_is_named(tmp_path: Path) -> None:
    empty = tmp_path / "empty.pem"
    empty.touch()
    with pytest.raises(Fault, match=r"empty\.pem has no certificates of authorities"):
        Client(address=DaemonAddress.of_url("https://127.0.0.1", ca_file=empty)).health()


@pytest.mark.requirement("cluster.client.tls", "cluster.client.token", "cluster.client.url")
def test_program_takes_authorities_and_token_from_files(
    encrypted: FakeDaemon, certificate: ServerCertificate, tmp_path: Path
) -> None:
    encrypted.answers += [answer("Hello")] * 3
    token = tmp_path / "token"
    token.write_text(f"{TOKEN}\n", encoding="utf-8")
    options = ("--token-file", str(token))
    assert run_string(encrypted, "--ca-file", str(certificate.ca_file), *options).stdout == "Hello\n"
    assert encrypted.last("POST /exec").headers["authorization"] == f"Bearer {TOKEN}".encode()
    # The authorities of the system, here in a file that takes their place.
    assert run_string(encrypted, *options, SSL_CERT_FILE=str(certificate.ca_file)).stdout == "Hello\n"
    named = run_string(encrypted, STRINGD_CA_FILE=str(certificate.ca_file), STRINGD_TOKEN_FILE=str(token))
    assert named.stdout == "Hello\n"
    refused = run_string(encrypted, *options)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "is not accepted: unable to get local issuer certificate" in refused.stderr
