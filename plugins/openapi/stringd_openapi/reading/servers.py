"""The servers of a description: their URLs, with the defaults of their variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from stringd_openapi.reading.references import members, objects, text_of

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_SCHEMES = frozenset({"http", "https"})


def server_urls(servers: Any) -> tuple[str, ...]:
    """Return the URLs of a list of servers, each with the defaults of its variables."""
    return tuple(filter(None, (_filled(it) for it in objects(servers))))


def _filled(server: Mapping[str, Any]) -> str:
    variables = members(server.get("variables"))

    def default(found: re.Match[str]) -> str:
        value = members(variables.get(found[1])).get("default", "")
        return str(value)

    return _VARIABLE.sub(default, text_of(server.get("url")).strip())


def absolute_server(url: str, address: str) -> str:
    """Return the URL of a server, which may be relative to its description's; empty if there is none."""
    joined = urljoin(address, url) if address.startswith(("http://", "https://")) else url
    if joined.startswith("//"):
        joined = f"https:{joined}"
    try:
        parts = urlsplit(joined)
    except ValueError:
        return ""
    is_usable = parts.scheme in _SCHEMES and bool(parts.hostname) and joined.isprintable()
    return joined.partition("#")[0].rstrip("/") if is_usable and " " not in joined else ""
