"""Requests to the network, within the daemon's address policy."""

from __future__ import annotations

from stringd.actions.http.action_request import ALWAYS_SENSITIVE, PreparedRequest
from stringd.actions.http.http_run import FIRST_FAILURE, response_answer, send_prepared
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
    "ALWAYS_SENSITIVE",
    "FIRST_FAILURE",
    "MAX_REDIRECTS",
    "PreparedRequest",
    "Redirect",
    "RedirectFailed",
    "SseEvent",
    "SseParser",
    "TooManyRedirects",
    "fetch",
    "follow_redirects",
    "is_address",
    "response_answer",
    "send_prepared",
]
