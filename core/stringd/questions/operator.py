"""The operator's token, which distinguishes a person from agents that run as the same user."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256
from typing import TextIO

_TOKEN_BYTES = 32


class Operator:
    """Verifies the operator's token, of which only the SHA-256 digest is kept, in memory."""

    def __init__(self) -> None:
        self._digests: list[bytes] = []
        self.terminal: TextIO | None = None
        """The terminal of whoever started the daemon, and was given the token there."""

    @property
    def is_appointed(self) -> bool:
        """Whether this daemon has an operator."""
        return bool(self._digests)

    def appoint(self) -> str:
        """Return a new token of 256 bits, to be given to the operator once; earlier ones stay valid."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._digests.append(_digest(token))
        return token

    def accepts(self, token: str) -> bool:
        """Return whether this is a token of the operator."""
        given = _digest(token)
        return any(hmac.compare_digest(given, it) for it in self._digests)

    def tell(self, line: str) -> bool:
        """Write a line that only the operator may see; return whether that was possible."""
        if self.terminal is None:
            return False
        try:
            self.terminal.write(f"{line}\n")
            self.terminal.flush()
        except OSError:
            return False
        return True


def _digest(token: str) -> bytes:
    return sha256(token.encode(errors="replace")).digest()
