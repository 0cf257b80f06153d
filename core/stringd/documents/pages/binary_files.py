"""Pages that describe binary files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stringd.text.counts import counted
from stringd.text.media_type_detection import media_type_of_name
from stringd.text.printable import printable

_UNKNOWN = "application/octet-stream"


def describe_binary(path: Path, size: int) -> str:
    """Return a page that describes a binary file."""
    return facts_page(printable(path.name), media_type_of_name(path.name) or _UNKNOWN, size)


def facts_page(title: str, kind: str, size: int, more: Mapping[str, str] | None = None) -> str:
    """Return a page with the media type, the size in bytes and other facts."""
    facts = {"type": kind, "size": counted(size, "byte"), **(more or {})}
    return "".join((f"# {title}\n\n", *(f"{name}: {it}\n" for name, it in facts.items())))
