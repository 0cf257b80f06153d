"""What can be told of a file that is no text."""

from __future__ import annotations

import codecs
import mimetypes
from pathlib import Path

from stringd.documents.files import LIMIT
from stringd.text.counts import counted

_UNKNOWN = "application/octet-stream"


def describe_binary(path: Path) -> str | None:
    """Return a page about a file that is no text; None for one that reads as text, or can't be read."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            data = file.read(LIMIT)
            size = path.stat().st_size
    except OSError:
        return None
    if not _is_binary(data, is_whole=size <= len(data)):
        return None
    media_type = mimetypes.guess_type(path.name)[0] or _UNKNOWN
    return f"# {path.name}\n\ntype: {media_type}\nsize: {counted(size, 'byte')}\n"


def _is_binary(data: bytes, *, is_whole: bool) -> bool:
    # What is not whole may end within a character.
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final=is_whole)
    except UnicodeDecodeError:
        return True
    return b"\0" in data
