"""What can be told of a file that is no text."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from stringd.text.counts import counted

SAMPLE = 8192
_UNKNOWN = "application/octet-stream"


def describe_binary(path: Path) -> str | None:
    """Return a page about a file that is no text; None for one that reads as text, or can't be read."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            sample = file.read(SAMPLE)
            size = path.stat().st_size
    except OSError:
        return None
    if not _is_binary(sample):
        return None
    media_type = mimetypes.guess_type(path.name)[0] or _UNKNOWN
    return f"# {path.name}\n\ntype: {media_type}\nsize: {counted(size, 'byte')}\n"


def _is_binary(sample: bytes) -> bool:
    # A sample may end within a character: only what is wrong before its last bytes counts.
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.start < len(sample) - 4
    return b"\0" in sample
