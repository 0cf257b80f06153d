"""Requests to the network, within the daemon's address policy."""

from __future__ import annotations

from stringd.http_client.address_zones import is_address
from stringd.http_client.redirects import (
    MAX_REDIRECTS,
    Redirect,
    RedirectFailed,
    TooManyRedirects,
    fetch,
    follow_redirects,
)
from stringd.text.sse import SseEvent, SseParser

__all__ = [
    "MAX_REDIRECTS",
    "Redirect",
    "RedirectFailed",
    "SseEvent",
    "SseParser",
    "TooManyRedirects",
    "fetch",
    "follow_redirects",
    "is_address",
]
