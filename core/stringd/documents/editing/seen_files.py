"""Record the file contents that a topic has seen, to detect edits of stale content."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from stringd.api.sessions import Session
from stringd.documents.pages.lru_cache import LruCache

MOST_FILES = 500


def digest(text: str) -> str:
    """Return the SHA-256 of the text."""
    known = _digests.get(text)
    if known is None:
        known = sha256(text.encode(errors="surrogatepass")).hexdigest()
        _digests.put(text, known, len(text))
    return known


def record_seen(session: Session, path: Path, text: str | None) -> None:
    """Record the content of a file that was opened, viewed or written; None if there was no file.

    Beyond the limit, the files with the oldest recorded change are forgotten.
    """
    seen, name, found = session.state.seen, str(path), _digest(text)
    if name in seen and seen[name] == found:
        return
    others = [(key, value) for key, value in seen.items() if key != name]
    kept = dict([*others, (name, found)][-MOST_FILES:])
    session.remember(replace(session.state, seen=kept))


def is_stale(session: Session, path: Path, text: str | None) -> bool:
    """Whether the topic has seen the file with another content."""
    seen, name = session.state.seen, str(path)
    return name in seen and seen[name] != _digest(text)


def _digest(text: str | None) -> str | None:
    return None if text is None else digest(text)


_digests: LruCache[str, str] = LruCache()
