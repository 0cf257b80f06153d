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
        self._digest: bytes | None = None
        self.terminal: TextIO | None = None
        """The terminal of whoever started the daemon, and was given the token there."""

    @property
    def is_appointed(self) -> bool:
        """Whether this daemon has an operator."""
        return self._digest is not None

    def appoint(self) -> str:
        """Return a new token of 256 bits, to be shown to the operator once; earlier ones become invalid."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._digest = _digest(token)
        return token

    def accepts(self, token: str) -> bool:
        """Return whether this is the latest token."""
        return self._digest is not None and hmac.compare_digest(_digest(token), self._digest)

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
