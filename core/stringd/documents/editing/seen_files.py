"""What a topic has seen of files, so that an edit of something else can be refused."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from stringd.api.sessions import Session
from stringd.documents.pages.lru_cache import Remembered

MOST_FILES = 500


def digest(text: str) -> str:
    """Return what tells a text from every other one."""
    known = _digests.get(text)
    if known is None:
        known = sha256(text.encode(errors="surrogatepass")).hexdigest()
        _digests.keep(text, known, len(text))
    return known


def record_seen(session: Session, path: Path, text: str | None) -> None:
    """Note what a file held when it was opened, viewed or written; None when there was none.

    Of more files than a topic remembers, those go first that have not changed for longest.
    """
    seen, name, found = session.state.seen, str(path), _digest(text)
    if name in seen and seen[name] == found:
        return
    others = [(key, value) for key, value in seen.items() if key != name]
    kept = dict([*others, (name, found)][-MOST_FILES:])
    session.remember(replace(session.state, seen=kept))


def is_stale(session: Session, path: Path, text: str | None) -> bool:
    """Whether the topic has seen the file, and it held something else then."""
    seen, name = session.state.seen, str(path)
    return name in seen and seen[name] != _digest(text)


def _digest(text: str | None) -> str | None:
    return None if text is None else digest(text)


_digests: Remembered[str, str] = Remembered()
