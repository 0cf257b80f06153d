"""Digests of texts, by which a text is known again without being kept."""

from __future__ import annotations

from hashlib import sha256


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text, which may have lone surrogates."""
    return digest_of_data(text.encode(errors="surrogatepass"))


def digest_of_data(data: bytes) -> str:
    """Return the same for a text in UTF-8."""
    return sha256(data).hexdigest()
