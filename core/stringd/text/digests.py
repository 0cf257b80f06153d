"""Digests of texts, by which a text is known again without being kept."""

from __future__ import annotations

from hashlib import sha256


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text, which may have lone surrogates."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()
