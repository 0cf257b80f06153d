"""Certificates of a private test authority, made by openssl."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="this machine has no openssl")

_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


class Authority:
    """Signs what it is asked to; `file` is what a client trusts it by."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.file = folder / "authority.pem"
        self._key = folder / "authority.key"
        subject = ("-subj", "/CN=Test authority", "-addext", "keyUsage=critical,keyCertSign")
        _openssl("req", "-x509", *_NEW_KEY, *subject, "-keyout", self._key, "-out", self.file)

    def server(self, *names: str, days: int = 2) -> ssl.SSLContext:
        """Return what a server of these names talks with; its certificate ends in some days, or has ended."""
        key, asked, extensions, signed = (
            self._folder / f"server.{it}" for it in ("key", "csr", "ext", "pem")
        )
        _openssl("req", *_NEW_KEY, "-subj", "/CN=test", "-keyout", key, "-out", asked)
        kinds = ("IP" if name[0].isdigit() else "DNS" for name in names)
        alternatives = ",".join(f"{kind}:{name}" for kind, name in zip(kinds, names, strict=True))
        extensions.write_text(f"subjectAltName={alternatives}\n", encoding="utf-8")
        signing = ("-CA", self.file, "-CAkey", self._key, "-CAcreateserial", "-extfile", extensions)
        _openssl("x509", "-req", "-in", asked, *signing, "-days", days, "-out", signed)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(signed, key)
        return context


def _openssl(*arguments: object) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=30)
