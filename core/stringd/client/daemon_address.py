"""Where a client finds its daemon: a port on loopback, or the URL of a cluster with a token."""

from __future__ import annotations

import os
import ssl
from functools import lru_cache
from pathlib import Path
from typing import Self
from urllib.parse import SplitResult, urlsplit

from stringd.client.defaults import default_port
from stringd.config import LOOPBACK
from stringd.errors import Fault
from stringd.frozen_record import FrozenRecord

URL, TOKEN, TOKEN_FILE, CA_FILE = "STRINGD_URL", "STRINGD_TOKEN", "STRINGD_TOKEN_FILE", "STRINGD_CA_FILE"
_DEFAULT_PORTS = {"http": 80, "https": 443}
_LARGEST_TOKEN = 4096
_MISUSE = 2


class DaemonAddress(FrozenRecord, frozen=True, kw_only=True):
    """Where a daemon answers; without a URL it is one on this machine, which clients start.

    `ca_file` has the authorities that its certificate is checked with, in place of the system's.
    """

    host: str = LOOPBACK
    port: int
    is_remote: bool = False
    is_encrypted: bool = False
    token: str | None = None
    ca_file: Path | None = None

    def __repr__(self) -> str:
        # Without the token.
        return f"DaemonAddress({self.url})"

    @classmethod
    def of_url(
        cls, url: str, *, token: str | None = None, ca_file: str | os.PathLike[str] | None = None
    ) -> Self:
        """Return the address that a URL names, as https://host:3100."""
        parts = _parsed(url)
        if parts is None:
            raise Fault("a URL of a daemon is like https://host:3100, with nothing behind", exit_code=_MISUSE)
        return cls(
            host=parts.hostname or "",
            port=parts.port or _DEFAULT_PORTS[parts.scheme],
            is_remote=True,
            is_encrypted=parts.scheme == "https",
            token=None if token is None else _checked_token(token),
            ca_file=Path(ca_file) if ca_file else None,
        )

    @property
    def place(self) -> str:
        """Where it is, as messages say it."""
        return f"at {self.url}" if self.is_remote else f"on port {self.port}"

    @property
    def url(self) -> str:
        """The URL of HTTP."""
        return f"http{self._secure}://{self._authority}"

    @property
    def web_socket_url(self) -> str:
        """The URL of WebSockets."""
        return f"ws{self._secure}://{self._authority}"

    @property
    def headers(self) -> dict[str, str]:
        """What every request has, besides its own headers."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def tls(self) -> ssl.SSLContext | None:
        """Return what the certificate is checked with; None without TLS."""
        return _tls(self.ca_file) if self.is_encrypted else None

    @property
    def _secure(self) -> str:
        return "s" if self.is_encrypted else ""

    @property
    def _authority(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def default_address() -> DaemonAddress:
    """Return the address in the environment: `STRINGD_URL`, else `STRINGD_PORT`, else the usual port."""
    return chosen_address()


def chosen_address(
    *,
    url: str | None = None,
    token_file: str | None = None,
    ca_file: str | None = None,
    port: int | None = None,
) -> DaemonAddress:
    """Return the address that options name, and where they don't, variables.

    A port that is given stands for a daemon on loopback, whatever the variables say.
    """
    if port is not None and url is None:
        return DaemonAddress(port=port)
    if port is not None:
        raise Fault("give --url or --port, not both", exit_code=_MISUSE)
    url = url or os.environ.get(URL)
    if not url:
        return DaemonAddress(port=default_port())
    return DaemonAddress.of_url(
        url, token=_given_token(token_file), ca_file=ca_file or os.environ.get(CA_FILE) or None
    )


def _parsed(url: str) -> SplitResult | None:
    """Return the parts of a URL that has a scheme, a host and perhaps a port, and nothing else."""
    try:
        parts = urlsplit(url.strip())
        is_plain = parts.port != 0 and parts.path in {"", "/"} and not (parts.query or parts.fragment)
    except ValueError:
        return None
    is_known = parts.scheme in _DEFAULT_PORTS and bool(parts.hostname)
    return parts if is_known and is_plain and "@" not in parts.netloc else None


def _given_token(file: str | None) -> str | None:
    """Return the token of a file that is named, else that of the environment."""
    token = None if file else os.environ.get(TOKEN)
    named = file or (None if token else os.environ.get(TOKEN_FILE))
    if not named:
        return token or None
    try:
        with Path(named).open(encoding="utf-8", errors="replace") as opened:
            return _checked_token(opened.read(_LARGEST_TOKEN))
    except OSError as error:
        raise Fault(f"the token's file {named} can't be read: {error.strerror}", exit_code=_MISUSE) from error


def _checked_token(text: str) -> str:
    """Return a token that fits into a header; never show it."""
    token = text.strip()
    if not (token and token.isascii() and token.isprintable() and " " not in token):
        raise Fault("the token is not one word of ASCII characters", exit_code=_MISUSE)
    return token


@lru_cache(maxsize=8)
def _tls(ca_file: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise Fault(f"{ca_file} has no certificates of authorities: {error}", exit_code=_MISUSE) from error
