"""A certificate authority of the tests, and certificates that it has issued."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_DAY = timedelta(days=1)


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


class Authority:
    """Issues certificates into a folder; `ca` is its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.ca = folder / "ca.pem"
        self._write(self.ca, self._issued("authority", self._key, is_authority=True))

    def issue(self, name: str) -> Path:
        """Return a file with a certificate for a name and for 127.0.0.1, and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        path = self._folder / f"{name}.pem"
        self._write(path, self._issued(name, key), key)
        return path

    def client_context(self, name: str = "") -> ssl.SSLContext:
        """Return the client's side of TLS, with a certificate of its own if named."""
        context = ssl.create_default_context(cafile=self.ca)
        if name:
            context.load_cert_chain(self.issue(name))
        return context

    def _issued(
        self, name: str, key: ec.EllipticCurvePrivateKey, *, is_authority: bool = False
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        names = [x509.DNSName(name), x509.IPAddress(ip_address("127.0.0.1"))]
        issued = x509.CertificateBuilder(
            issuer_name=_name("authority"),
            subject_name=_name(name),
            public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=now - _DAY,
            not_valid_after=now + _DAY,
        )
        issued = issued.add_extension(x509.SubjectAlternativeName(names), critical=False)
        issued = issued.add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        return issued.sign(self._key, hashes.SHA256())

    @staticmethod
    def _write(path: Path, issued: x509.Certificate, key: ec.EllipticCurvePrivateKey | None = None) -> None:
        pem = serialization.Encoding.PEM
        written = issued.public_bytes(pem)
        if key:
            plain = serialization.NoEncryption()
            written += key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
        path.write_bytes(written)
