"""The URIs by which resources of servers are opened: `mcp:APP/` and the server's own URI, encoded."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

SCHEME = "mcp"
_SAFE = "/:?=&;,@+$!*'()~"
_URI = re.compile(rf"{SCHEME}:(?P<app>[A-Za-z0-9_-]+)/(?P<uri>.+)", re.DOTALL)


def resource_uri(app: str, uri: str) -> str:
    """Return the URI of a resource of an app's server."""
    return f"{SCHEME}:{app}/{quote(uri, safe=_SAFE)}"


def split_resource_uri(uri: str) -> tuple[str, str] | None:
    """Return the app, and the URI of its server, that a URI names; None if it names none."""
    found = _URI.fullmatch(uri)
    return (found["app"], unquote(found["uri"])) if found else None
