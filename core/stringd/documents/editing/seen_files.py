"""Record the file contents that a topic has seen, to detect edits of stale content."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from stringd.api.sessions import Session
from stringd.text.digests import digest_of
from stringd.text.lru_cache import LruCache

MOST_FILES = 500


def digest(text: str) -> str:
    """Return the digest of a text, which is kept."""
    known = _digests.get(text)
    if known is None:
        known = digest_of(text)
        _digests.put(text, known, len(text))
    return known


def keep_digest(text: str, known: str) -> None:
    """Keep the digest of a text, which will be asked for again."""
    _digests.put(text, known, len(text))


def record_seen(session: Session, path: Path, text: str | None) -> None:
    """Record the content of a file that was opened, viewed or written; None if there was no file.

    Beyond the limit, the files with the oldest recorded change are forgotten.
    """
    record_digest(session, path, _digest(text))


def record_digest(session: Session, path: Path, digest: str | None) -> None:
    """Record the digest of such content."""
    state = session.state
    seen = _with_digest(state.seen, path, digest)
    if seen is not state.seen:
        session.remember(replace(state, seen=seen))


def with_seen(seen: Mapping[str, str | None], files: Mapping[Path, str | None]) -> Mapping[str, str | None]:
    """Return what a topic has seen once it has seen these files too; the same mapping if it had."""
    for path, text in files.items():
        seen = _with_digest(seen, path, _digest(text))
    return seen


def _with_digest(seen: Mapping[str, str | None], path: Path, digest: str | None) -> Mapping[str, str | None]:
    name = str(path)
    if name in seen and seen[name] == digest:
        return seen
    others = [(key, value) for key, value in seen.items() if key != name]
    return dict([*others, (name, digest)][-MOST_FILES:])


def is_stale(session: Session, path: Path, text: str | None) -> bool:
    """Whether the topic has seen the file with another content."""
    seen, name = session.state.seen, str(path)
    return name in seen and seen[name] != _digest(text)


def _digest(text: str | None) -> str | None:
    return None if text is None else digest(text)


_digests: LruCache[str, str] = LruCache()
