"""The certificates by which the nodes of a cluster recognise each other: one authority per cluster."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from typing import Any
from uuid import UUID

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from msgspec import Struct

from stringd_cluster.hop.join_secret import SealingKey

NODE_DAYS = 730
"""For how long the certificate of a node is valid; it is renewed when a third of that is left."""
AUTHORITY_DAYS = 7300
_SKEW = timedelta(hours=1)
_DOMAIN = "stringd.internal"
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def is_node_name(text: str) -> bool:
    """Whether a node may be named so: lower-case letters, digits and `-`, as in host names."""
    return _NAME.fullmatch(text) is not None


def peer_host(cluster_id: UUID | str, node_name: str) -> str:
    """Return the name in the certificate of a node; no name service is asked for it."""
    return f"{node_name}.{cluster_id}.{_DOMAIN}"


def peer_node_name(certificate: Mapping[str, Any] | None) -> str:
    """Return the name of the node at the other end of a verified connection, by its `getpeercert()`."""
    names: Iterable[tuple[str, str]] = (certificate or {}).get("subjectAltName", ())
    return next((value.split(".")[0] for kind, value in names if kind == "DNS"), "")


class Issued(Struct, frozen=True, kw_only=True):
    """A certificate and its private key, in PEM."""

    certificate: bytes
    key: bytes


class Authority:
    """The authority of one cluster: what it signs is valid for names of this cluster only."""

    def __init__(self, cluster_id: UUID, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey):
        self._cluster_id = cluster_id
        self._certificate = certificate
        self._key = key

    @classmethod
    def made(cls, cluster_id: UUID) -> Authority:
        """Make the authority of a new cluster."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = _name(f"stringd cluster {cluster_id}")
        own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        builder = (
            _builder(name, name, key.public_key(), AUTHORITY_DAYS)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
            .add_extension(_constraints(cluster_id), critical=True)
            .add_extension(own, critical=False)
        )
        return cls(cluster_id, builder.sign(key, hashes.SHA256()), key)

    @classmethod
    def opened(cls, cluster_id: UUID, certificate: str, sealed: bytes, sealing: SealingKey) -> Authority:
        """Return the authority of a cluster from its certificate and sealed key; raise `WrongJoinSecret`."""
        key = serialization.load_der_private_key(sealing.unseal(sealed, cluster_id), None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        return cls(cluster_id, x509.load_pem_x509_certificate(certificate.encode()), key)

    @property
    def certificate(self) -> str:
        """The certificate in PEM."""
        return self._certificate.public_bytes(serialization.Encoding.PEM).decode()

    def sealed_key(self, sealing: SealingKey) -> bytes:
        """Return the private key, sealed."""
        data = self._key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return sealing.seal(data, self._cluster_id)

    def issue(self, node_name: str, days: float = NODE_DAYS) -> Issued:
        """Issue a certificate for a node, for both ends of connections."""
        key = ec.generate_private_key(ec.SECP256R1())
        host = peer_host(self._cluster_id, node_name)
        uses = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = (
            _builder(_name(node_name), self._certificate.subject, key.public_key(), days)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(uses), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(authority, critical=False)
        )
        certificate = builder.sign(self._key, hashes.SHA256())
        return Issued(
            certificate=certificate.public_bytes(serialization.Encoding.PEM),
            key=key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            ),
        )


def _builder(
    subject: x509.Name, issuer: x509.Name, public_key: ec.EllipticCurvePublicKey, days: float
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + timedelta(days=days))
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _constraints(cluster_id: UUID) -> x509.NameConstraints:
    everywhere = [x509.IPAddress(ip_network("0.0.0.0/0")), x509.IPAddress(ip_network("::/0"))]
    return x509.NameConstraints(
        permitted_subtrees=[x509.DNSName(f"{cluster_id}.{_DOMAIN}")], excluded_subtrees=everywhere
    )
