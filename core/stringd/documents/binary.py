"""What can be told of a file that is no text."""

from __future__ import annotations

from pathlib import Path

from stringd.documents.verbatim import media_type
from stringd.text.counts import counted
from stringd.text.names import printable

_UNKNOWN = "application/octet-stream"


def describe_binary(path: Path, size: int) -> str:
    """Return a page about a file that is no text."""
    kind = media_type(path) or _UNKNOWN
    return f"# {printable(path.name)}\n\ntype: {kind}\nsize: {counted(size, 'byte')}\n"
