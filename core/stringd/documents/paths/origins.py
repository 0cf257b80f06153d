"""Where a document stands: in a file, or at the URI that it came from over the network."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TypeAlias
from urllib.parse import urlsplit

Origin: TypeAlias = Path | str
"""A file's real path, or a URI."""
_OF_DIRECTORY = "index"


def name_of(origin: Origin) -> str:
    """Return what a message calls a document by."""
    return origin.name if isinstance(origin, Path) else origin


def stem_of(origin: Origin) -> str:
    """Return a document's name without its ending; what a site shows for a directory is its index."""
    if isinstance(origin, Path):
        return origin.stem
    path = urlsplit(origin).path
    return _OF_DIRECTORY if path.endswith("/") or not path else PurePosixPath(path).stem
