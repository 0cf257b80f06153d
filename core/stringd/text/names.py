"""Names of files, fit to stand in a line."""

from __future__ import annotations

import re

_BREAKING = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def printable(name: str) -> str:
    r"""Return a name with control characters as `\n`, and bytes that are no UTF-8 as `\xff`."""
    decoded = name.encode(errors="surrogateescape").decode(errors="backslashreplace")
    return _BREAKING.sub(lambda found: found[0].encode("unicode_escape").decode(), decoded)
