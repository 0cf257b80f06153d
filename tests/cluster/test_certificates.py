"""Certificates of nodes: who accepts whom, by real handshakes."""

from __future__ import annotations

import socket
import ssl
import stat
import threading
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from stringd.plugin import Fault
from stringd_cluster.hop.certificates import Authority, is_node_name, peer_host, peer_node_name
from stringd_cluster.hop.join_secret import SealingKey, WrongJoinSecret, new_join_secret
from stringd_cluster.hop.node_identity import NodeIdentity


class Cluster:
    """An authority whose nodes have folders of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.id = uuid4()
        self.secret = new_join_secret()
        self.sealing = SealingKey.derived(self.secret)
        self.authority = Authority.made(self.id)
        self.sealed = self.authority.sealed_key(self.sealing)

    def node(self, name: str, days: float = 730, authority: Authority | None = None) -> NodeIdentity:
        identity = NodeIdentity(
            folder=self._folder / name / "cluster",
            cluster_id=str(self.id),
            name=name,
            url="postgresql://db/x",
        )
        issued = (authority or self.authority).issue(name, days)
        identity.store(self.authority.certificate, issued, self.sealing)
        return identity


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return Cluster(tmp_path)


def _handshake(server: NodeIdentity, client: ssl.SSLContext, name: str) -> tuple[str, str]:
    """Return the names that each side sees of the other; raise what the client gets."""
    here, there = socket.socketpair()
    seen: list[str] = []

    def serve() -> None:
        try:
            with server.server_context().wrap_socket(there, server_side=True) as connection:
                seen.append(peer_node_name(connection.getpeercert()))
                connection.sendall(b"x")
        except OSError:
            there.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        here.settimeout(5)
        host = peer_host(server.cluster_id, name)
        with client.wrap_socket(here, server_hostname=host) as connection:
            # In TLS 1.3, a refusal of the client's certificate arrives with the first data.
            if connection.recv(1) != b"x":
                raise ConnectionResetError
            return seen[0], peer_node_name(connection.getpeercert())
    finally:
        here.close()
        thread.join(5)


@pytest.mark.requirement("cluster.certificates.mutual")
def test_nodes_of_a_cluster_accept_each_other_by_name(cluster: Cluster) -> None:
    first, second = cluster.node("first"), cluster.node("second")
    assert _handshake(first, second.client_context(), "first") == ("second", "first")
    with pytest.raises(ssl.SSLCertVerificationError, match="match"):
        _handshake(first, second.client_context(), "second")


@pytest.mark.requirement("cluster.certificates.strangers")
def test_strangers_are_refused(cluster: Cluster, tmp_path: Path) -> None:
    first, other = cluster.node("first"), Cluster(tmp_path / "other").node("second")
    with pytest.raises(ssl.SSLError):
        _handshake(first, other.client_context(), "first")
    with pytest.raises(ssl.SSLError):
        _handshake(other, first.client_context(), "second")
    nobody = ssl.create_default_context(cadata=cluster.authority.certificate)
    with pytest.raises((ssl.SSLError, ConnectionResetError)):
        _handshake(first, nobody, "first")


@pytest.mark.requirement("cluster.certificates.bound")
def test_an_authority_signs_for_its_cluster_only(cluster: Cluster) -> None:
    """Even with the key of the authority, nothing outside of the cluster can be impersonated."""
    elsewhere = Authority(
        uuid4(), x509.load_pem_x509_certificate(cluster.authority.certificate.encode()), _key(cluster)
    )
    first, liar = cluster.node("first"), cluster.node("liar", authority=elsewhere)
    with pytest.raises(ssl.SSLError):
        _handshake(first, liar.client_context(), "first")


def _key(cluster: Cluster) -> ec.EllipticCurvePrivateKey:
    opened = Authority.opened(cluster.id, cluster.authority.certificate, cluster.sealed, cluster.sealing)
    return opened._key


@pytest.mark.requirement("cluster.certificates.expired")
def test_an_expired_certificate_is_refused(cluster: Cluster) -> None:
    first, second = cluster.node("first"), cluster.node("second", days=-0.01)
    with pytest.raises(ssl.SSLError):
        _handshake(first, second.client_context(), "first")


@pytest.mark.requirement("cluster.certificates.renewal")
def test_a_certificate_is_renewed_when_a_third_of_its_life_is_left(cluster: Cluster) -> None:
    node = cluster.node("first", days=90)
    first, end = node.fingerprint, node.certificate.not_valid_after_utc
    assert not node.is_renewal_due(end - timedelta(days=32))
    assert node.is_renewal_due(end - timedelta(days=29))
    assert node.renew(cluster.sealed) is None
    assert node.fingerprint == first
    due = cluster.node("second", days=0.01)
    # Of its life, an hour has passed already: it began before it was issued.
    assert due.is_renewal_due()
    assert due.renew(cluster.sealed) is None
    assert not due.is_renewal_due()
    assert _handshake(node, due.client_context(), "first") == ("second", "first")


@pytest.mark.requirement("cluster.certificates.renewal")
def test_a_renewal_that_fails_says_what_to_do(cluster: Cluster) -> None:
    due = cluster.node("first", days=0.01)
    resealed = cluster.authority.sealed_key(SealingKey.derived(new_join_secret()))
    notice = due.renew(resealed)
    assert notice is not None
    assert "stringd cluster join" in notice


@pytest.mark.requirement("cluster.certificates.sealed")
def test_the_key_is_sealed_with_the_join_secret(cluster: Cluster) -> None:
    typed = cluster.secret.upper().replace("-", " ")
    assert SealingKey.opening(cluster.sealed, typed) == cluster.sealing
    wrong = SealingKey.opening(cluster.sealed, new_join_secret())
    with pytest.raises(WrongJoinSecret):
        Authority.opened(cluster.id, cluster.authority.certificate, cluster.sealed, wrong)
    with pytest.raises(WrongJoinSecret):
        cluster.sealing.unseal(cluster.sealed, uuid4())
    damaged = cluster.sealed[:-1] + bytes([cluster.sealed[-1] ^ 1])
    with pytest.raises(WrongJoinSecret):
        cluster.sealing.unseal(damaged, cluster.id)
    with pytest.raises(WrongJoinSecret):
        cluster.sealing.unseal(b"", cluster.id)


@pytest.mark.requirement("cluster.certificates.private")
def test_the_files_are_private_and_complete(cluster: Cluster, tmp_path: Path) -> None:
    node = cluster.node("first")
    assert {stat.S_IMODE(it.stat().st_mode) for it in (node.folder, node.folder.parent)} == {0o700}
    assert {stat.S_IMODE(it.stat().st_mode) for it in node.folder.iterdir()} == {0o600}
    assert NodeIdentity.load(tmp_path / "first") == node
    assert "postgresql" not in repr(node)
    assert NodeIdentity.load(tmp_path) is None
    (node.folder / "node.json").write_text("{", encoding="utf-8")
    with pytest.raises(Fault, match="join the cluster again"):
        NodeIdentity.load(tmp_path / "first")
    (node.folder / "node.pem").write_text("", encoding="utf-8")
    with pytest.raises(Fault, match="stringd cluster join"):
        node.server_context()


@pytest.mark.requirement("cluster.certificates.names")
def test_names_of_nodes() -> None:
    for name in ("a", "node-1", "x" * 63):
        assert is_node_name(name), name
    for name in ("", "-a", "a-", "A", "a.b", "a_b", "x" * 64, "a\n"):
        assert not is_node_name(name), name
    assert peer_host(UUID(int=7), "a") == "a.00000000-0000-0000-0000-000000000007.stringd.internal"
