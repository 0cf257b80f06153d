"""What a node keeps in its data directory to take part in its cluster, and the TLS contexts made of it."""

from __future__ import annotations

import json
import shutil
import ssl
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from cryptography import x509
from cryptography.hazmat.primitives import hashes

from stringd.plugin import Fault
from stringd.plugin.files import open_folder, write_atomically
from stringd_cluster.hop.certificates import Authority, Issued
from stringd_cluster.hop.join_secret import SealingKey, WrongJoinSecret
from stringd_cluster.hop.node_folder import FOLDER, RECORD

_AUTHORITY, _CERTIFICATE, _KEY, _RENEWAL = "ca.pem", "node.pem", "node.key", "renewal.key"
_LEFT = 1 / 3


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeIdentity:
    """The cluster, the name and the certificate of a node, and the cluster's database."""

    folder: Path
    cluster_id: str
    name: str
    url: str = field(repr=False)
    is_unfinished: bool = False
    """Whether the `init` that has made the cluster may have shown its secrets to nobody."""

    @classmethod
    def load(cls, data_dir: Path) -> NodeIdentity | None:
        """Return the identity in a data directory; None if it belongs to no cluster."""
        folder = data_dir / FOLDER
        try:
            fields = json.loads((folder / RECORD).read_text(encoding="utf-8"))
            texts = {name: str(fields[name]) for name in ("cluster_id", "name", "url")}
            return cls(folder=folder, is_unfinished=fields.get("is_unfinished") is True, **texts)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            what = error.strerror if isinstance(error, OSError) else "it is damaged"
            raise Fault(f"{folder / RECORD} can't be read: {what}; join the cluster again") from error

    def store(self, authority: str, issued: Issued, sealing: SealingKey) -> None:
        """Write all files, readable by their owner only; the record comes last."""
        for folder in (self.folder.parent, self.folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        renewal = f"{sealing.salt.hex()}\n{sealing.key.hex()}\n"
        self._write(
            {
                _AUTHORITY: authority.encode(),
                _RENEWAL: renewal.encode(),
                _KEY: issued.key,
                _CERTIFICATE: issued.certificate,
                RECORD: _record(self),
            }
        )

    def finish(self) -> None:
        """Note that the secrets of the cluster were shown."""
        self._write({RECORD: _record(replace(self, is_unfinished=False))})

    def remove(self) -> None:
        """Remove all files."""
        shutil.rmtree(self.folder)

    @property
    def certificate(self) -> x509.Certificate:
        """The certificate of this node."""
        return x509.load_pem_x509_certificate((self.folder / _CERTIFICATE).read_bytes())

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the certificate."""
        return self.certificate.fingerprint(hashes.SHA256()).hex()

    def is_renewal_due(self, now: datetime | None = None) -> bool:
        """Whether at most a third of the certificate's life is left."""
        certificate = self.certificate
        life = certificate.not_valid_after_utc - certificate.not_valid_before_utc
        return certificate.not_valid_after_utc - (now or datetime.now(UTC)) <= life * _LEFT

    def renew(self, sealed_key: bytes) -> str | None:
        """Renew the certificate with the sealed key of the cluster, if due; return why that failed."""
        if not self.is_renewal_due():
            return None
        try:
            authority = Authority.opened(
                UUID(self.cluster_id), self._authority, sealed_key, self._read_sealing()
            )
        except (OSError, ValueError, WrongJoinSecret):
            until = self.certificate.not_valid_after_utc
            return (
                f"the certificate of this node expires on {until:%Y-%m-%d} and can't be renewed: "
                "run `stringd cluster join` again, with the join secret"
            )
        issued = authority.issue(self.name)
        # A key that does not fit its certificate is noticed, and mended in the same way: the record is kept.
        self._write({_KEY: issued.key, _CERTIFICATE: issued.certificate})
        return None

    def server_context(self) -> ssl.SSLContext:
        """Return the context of a listening node: only nodes of the same cluster may connect."""
        return self._context(ssl.PROTOCOL_TLS_SERVER)

    def client_context(self) -> ssl.SSLContext:
        """Return the context for connections to nodes, whose names are those of `peer_host`."""
        return self._context(ssl.PROTOCOL_TLS_CLIENT)

    def _context(self, protocol: int) -> ssl.SSLContext:
        context = ssl.SSLContext(protocol)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(cadata=self._authority)
            context.load_cert_chain(self.folder / _CERTIFICATE, self.folder / _KEY)
        except OSError as error:
            message = f"the certificate in {self.folder} can't be used ({error.strerror or error.args[-1]})"
            raise Fault(f"{message}: run `stringd cluster join` again, with the join secret") from error
        return context

    @property
    def _authority(self) -> str:
        return (self.folder / _AUTHORITY).read_text(encoding="ascii")

    def _read_sealing(self) -> SealingKey:
        salt, key = (self.folder / _RENEWAL).read_text(encoding="ascii").split()
        return SealingKey(bytes.fromhex(salt), bytes.fromhex(key))

    def _write(self, files: dict[str, bytes]) -> None:
        with open_folder(self.folder, own=True) as folder:
            for name, content in files.items():
                write_atomically(folder, name, content, mode=0o600)


def _record(identity: NodeIdentity) -> bytes:
    fields = asdict(identity)
    del fields["folder"]
    return json.dumps(fields, indent=2).encode() + b"\n"
