"""The origin of a document: its file, or the URI that it was loaded from."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TypeAlias
from urllib.parse import urlsplit

Origin: TypeAlias = Path | str
"""A file's real path, or a URI."""
_OF_DIRECTORY = "index"


def name_of(origin: Origin) -> str:
    """Return the name of a document in messages."""
    return origin.name if isinstance(origin, Path) else origin


def stem_of(origin: Origin) -> str:
    """Return a document's name without its suffix; `index` for a directory of a site."""
    if isinstance(origin, Path):
        return origin.stem
    path = urlsplit(origin).path
    return _OF_DIRECTORY if path.endswith("/") or not path else PurePosixPath(path).stem
