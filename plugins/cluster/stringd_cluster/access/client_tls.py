"""The TLS of the socket for clients, with a certificate that is read again when its files change."""

from __future__ import annotations

import logging
import ssl
from pathlib import Path

from stringd.plugin import Fault
from stringd_cluster.cluster_settings import ClusterSettings

log = logging.getLogger(__name__)


class ClientTls:
    """Holds the context of a listening socket; connections that are open keep what they began with."""

    def __init__(self, settings: ClusterSettings) -> None:
        self._certificate = Path(settings.tls_certificate)
        self._key = Path(settings.tls_key or settings.tls_certificate)
        try:
            self._seen = self._stamps()
            self.context = self._loaded()
        except (OSError, ValueError) as error:
            raise Fault(
                f"cluster.tls_certificate and cluster.tls_key can't be used: {_reason(error)}"
            ) from error

    def refresh(self) -> None:
        """Read the files again if they have changed; keep what there is while they can't be used."""
        try:
            stamps = self._stamps()
            if stamps == self._seen:
                return
            self._seen = stamps
            # A failure within the context in use would leave it without a key.
            self._loaded()
            self.context.load_cert_chain(self._certificate, self._key)
        except (OSError, ValueError) as error:
            log.warning("the new TLS certificate can't be used, the earlier one is: %s", _reason(error))

    def _loaded(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self._certificate, self._key, password=_refuse_password)
        return context

    def _stamps(self) -> list[tuple[int, int, int]]:
        found = (it.stat() for it in (self._certificate, self._key))
        return [(it.st_ino, it.st_mtime_ns, it.st_size) for it in found]


def _refuse_password() -> str:
    raise ValueError("the key is encrypted")


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, ssl.SSLError):
        return error.reason or str(error)
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
    return str(error)
