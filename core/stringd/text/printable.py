"""File names for display within a line."""

from __future__ import annotations

from stringd.text.escaping import visible_line


def printable(name: str) -> str:
    r"""Return a name with control characters as `\n` and bytes that are not UTF-8 as `\xff`."""
    decoded = name.encode(errors="surrogateescape").decode(errors="backslashreplace")
    return visible_line(decoded)
