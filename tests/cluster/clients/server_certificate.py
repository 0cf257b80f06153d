"""A certificate for a server of the tests, and the authority that has issued it."""

from __future__ import annotations

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


class ServerCertificate:
    """Issues a certificate for one address, and writes what clients and servers need into a folder."""

    def __init__(self, folder: Path, host: str) -> None:
        self.ca_file, self.certificate, self.key = (
            folder / name for name in ("ca.pem", "server.pem", "server.key")
        )
        authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        authority = _name("tested authority")
        own = _builder(authority, authority, authority_key.public_key())
        basic = x509.BasicConstraints(ca=True, path_length=0)
        usage = x509.KeyUsage(*(False,) * 5, key_cert_sign=True, **_NO_USAGE)
        signed = own.add_extension(basic, critical=True).add_extension(usage, critical=True)
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(host))])
        issued = _builder(_name(host), authority, key.public_key()).add_extension(names, critical=False)
        self._write(self.ca_file, signed.sign(authority_key, hashes.SHA256()))
        self._write(self.certificate, issued.sign(authority_key, hashes.SHA256()))
        form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        self.key.write_bytes(key.private_bytes(*form))

    def tls(self) -> ssl.SSLContext:
        """Return the server's side."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context

    def _write(self, file: Path, certificate: x509.Certificate) -> None:
        file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


_NO_USAGE = {"crl_sign": True, "encipher_only": False, "decipher_only": False}


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def _builder(
    subject: x509.Name, issuer: x509.Name, public_key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=1))
        .not_valid_after(now + timedelta(days=1))
    )
