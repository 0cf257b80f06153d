"""The join secret, and the key of the cluster's authority, which is stored sealed with it."""

from __future__ import annotations

import base64
import re
import secrets
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from msgspec import Struct

_PREFIX = "join"
_BYTES = 20
_SALT, _NONCE = 16, 12
_VERSION = b"\x01"
_COST, _BLOCK, _LANES = 2**15, 8, 1


class WrongJoinSecret(ValueError):
    """The secret, or the key that was derived from it, does not open the sealed key."""


def new_join_secret() -> str:
    """Return a secret of 160 bits that people can type: `join-` and groups of four letters and digits."""
    text = base64.b32encode(secrets.token_bytes(_BYTES)).decode().lower()
    return "-".join((_PREFIX, *(text[at : at + 4] for at in range(0, len(text), 4))))


class SealingKey(Struct, frozen=True):
    """A key that was derived from the join secret, with the salt of its derivation."""

    salt: bytes
    key: bytes

    @classmethod
    def derived(cls, join_secret: str, salt: bytes | None = None) -> SealingKey:
        """Derive the key from what a person typed; this takes a tenth of a second."""
        salt = salt or secrets.token_bytes(_SALT)
        typed = re.sub(r"[\s-]", "", join_secret).lower().encode()
        scrypt = Scrypt(salt=salt, length=32, n=_COST, r=_BLOCK, p=_LANES)
        return cls(salt, scrypt.derive(typed))

    @classmethod
    def opening(cls, sealed: bytes, join_secret: str) -> SealingKey:
        """Derive the key with which something was sealed."""
        return cls.derived(join_secret, sealed[len(_VERSION) : len(_VERSION) + _SALT])

    def seal(self, data: bytes, cluster_id: UUID) -> bytes:
        """Encrypt data, which can then only be opened as that of the same cluster."""
        nonce = secrets.token_bytes(_NONCE)
        return _VERSION + self.salt + nonce + AESGCM(self.key).encrypt(nonce, data, cluster_id.bytes)

    def unseal(self, sealed: bytes, cluster_id: UUID) -> bytes:
        """Decrypt data, or raise `WrongJoinSecret`."""
        body = sealed[len(_VERSION) + _SALT :]
        if sealed[: len(_VERSION)] != _VERSION:
            raise WrongJoinSecret
        try:
            return AESGCM(self.key).decrypt(body[:_NONCE], body[_NONCE:], cluster_id.bytes)
        except InvalidTag:
            raise WrongJoinSecret from None
