"""TLS for clients: the certificate of the settings, which is read again when its files change."""

from __future__ import annotations

import http.client
import shutil
import socket
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.access.door_client import STRANGER, Doorstep, bearer
from tests.cluster.nodes import Cluster
from tests.protocol.waits import eventually
from tests.server.tls_certificates import Authority

pytestmark = pytest.mark.long


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "authority")


def secure(authority: Authority, cluster: Cluster, file: Path) -> Doorstep:
    """Start a node that has a certificate, beside one that has none."""
    cluster.node("plain")
    cluster.register("ann")
    shutil.copy(authority.issue("first"), file)
    return Doorstep(cluster, cluster.node("secure", env={"STRINGD_CLUSTER_TLS_CERTIFICATE": str(file)}))


def status_over_tls(door: Doorstep, authority: Authority, token: str) -> int:
    context = authority.client_context()
    with closing(
        http.client.HTTPSConnection("127.0.0.1", door.node.port, timeout=10, context=context)
    ) as client:
        client.request("GET", "/sessions", headers=bearer(token))
        return client.getresponse().status


def shown_names(door: Doorstep, authority: Authority) -> set[str]:
    """The names in the certificate that the node shows."""
    with (
        socket.create_connection(("127.0.0.1", door.node.port), timeout=10) as plain,
        authority.client_context().wrap_socket(plain, server_hostname="127.0.0.1") as client,
    ):
        found: dict[str, Any] = client.getpeercert() or {}
    return {value for kind, value in found["subjectAltName"] if kind == "DNS"}


@pytest.mark.requirement("cluster.door.tls")
def test_clients_are_served_over_tls(authority: Authority, cluster: Cluster, tmp_path: Path) -> None:
    door = secure(authority, cluster, tmp_path / "node.pem")
    token = cluster.token("ann")
    assert status_over_tls(door, authority, token) == 200
    assert status_over_tls(door, authority, STRANGER) == 401
    plain = door.raw(f"GET /sessions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n")
    assert not plain.startswith(b"HTTP/1.1 200")


@pytest.mark.requirement("cluster.door.certificate")
def test_a_new_certificate_is_used_and_a_broken_one_is_not(
    authority: Authority, cluster: Cluster, tmp_path: Path
) -> None:
    file = tmp_path / "node.pem"
    door = secure(authority, cluster, file)
    assert shown_names(door, authority) == {"first"}
    file.write_text("no certificate", encoding="utf-8")
    eventually(lambda: "the new TLS certificate can't be used" in door.node.stderr())
    assert shown_names(door, authority) == {"first"}
    authority.issue("second").replace(file)
    eventually(lambda: shown_names(door, authority) == {"second"})
    assert status_over_tls(door, authority, cluster.token("ann")) == 200


@pytest.mark.requirement("cluster.door.certificate")
@pytest.mark.parametrize(
    ("certificate", "address", "said"),
    [
        ("/nonexistent/node.pem", "127.0.0.1:0", "No such file or directory"),
        ("/dev/null", "127.0.0.1:0", "cluster.tls_certificate"),
        ("", "everywhere", "HOST:PORT"),
        ("", "127.0.0.1:65536", "HOST:PORT"),
    ],
)
def test_a_node_that_cannot_listen_says_why(
    cluster: Cluster, certificate: str, address: str, said: str
) -> None:
    env = {"STRINGD_CLUSTER_TLS_CERTIFICATE": certificate}
    node = cluster.node("one", arguments=("--listen", address), env=env, start=False)
    node.start(ready=False)
    assert node.process.wait(20) != 0
    assert said in node.stderr()
    assert "Traceback" not in node.stderr()
