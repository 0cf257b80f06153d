"""Requests to the network, within the daemon's address policy."""

from __future__ import annotations

from stringd.http_client.addresses import is_address
from stringd.http_client.following import fetch, redirected
from stringd.http_client.redirects import MOST_REDIRECTS, location, moved

__all__ = [
    "MOST_REDIRECTS",
    "fetch",
    "is_address",
    "location",
    "moved",
    "redirected",
]
