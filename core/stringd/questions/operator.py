"""The operator's token, which tells a person from the agents that run as the same user."""

from __future__ import annotations

import hmac
import secrets
from hashlib import sha256

_TOKEN_BYTES = 32


class Operator:
    """Recognises the operator's token. The token itself is not kept, only its SHA-256 digest, in memory."""

    def __init__(self) -> None:
        self._digest: bytes | None = None

    @property
    def is_appointed(self) -> bool:
        """Whether a token was handed out in this life of the daemon."""
        return self._digest is not None

    def appoint(self) -> str:
        """Return a new token of 256 bits, to be shown to the operator once; earlier ones are void."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._digest = _digest(token)
        return token

    def accepts(self, token: str) -> bool:
        """Tell whether this is the token that was handed out last."""
        return self._digest is not None and hmac.compare_digest(_digest(token), self._digest)


def _digest(token: str) -> bytes:
    return sha256(token.encode(errors="replace")).digest()
