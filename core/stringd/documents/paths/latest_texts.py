"""The texts of long files as they were last read or written, found by the same data again."""

from __future__ import annotations

from typing import NamedTuple

from stringd.documents.paths.text_charsets import known_charset
from stringd.text.lru_cache import LruCache

# Decoding, hashing and comparing a shorter text takes no time worth saving.
_SHORT = 16 * 1024


class _Latest(NamedTuple):
    """The data of a file, its charset and its text."""

    data: bytes
    charset: str
    text: str


def known_text(path: str, data: bytes) -> str | None:
    """Return the text of a file that was last read or written with the same data and charset, or None."""
    known = _latest.get(path) if len(data) > _SHORT else None
    if known and known.data == data and known.charset == known_charset(path):
        return known.text
    return None


def latest_text(path: str) -> str | None:
    """Return the text that a file had when it was last read or written, if that is kept."""
    known = _latest.get(path)
    return known.text if known else None


def keep_text(path: str, data: bytes, text: str) -> None:
    """Keep the text of a file that was just read or written, if it is long."""
    if len(text) > _SHORT:
        _latest.put(path, _Latest(data, known_charset(path), text), len(data) + len(text))


_latest: LruCache[str, _Latest] = LruCache()
