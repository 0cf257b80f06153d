"""What servers of models say when they fail: what it means, and when it may be tried again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from stringd.plugin import HttpResponse
from stringd_runs.model_provider import ProviderFailed

_OVERLOADED = 529
_TRANSIENT_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, _OVERLOADED})
_TRANSIENT_TYPES = frozenset(
    {"api_error", "overloaded_error", "rate_limit_error", "server_error", "timeout_error"}
)
_ANY_SERVER_ERROR = 500
_MESSAGE_KEYS = ("error", "message", "detail")
_MOST_READ = 64 * 1024
_HINTS = {401: "check its key", 403: "check its key", 404: "check the model and the URL"}


def status_failure(name: str, response: HttpResponse, text: str) -> ProviderFailed:
    """Return the failure that a status of a response means; `text` is what the server says."""
    status = response.status
    reason = f"{status} {_phrase(status)}".strip()
    said = f": {text}" if text else f": {_HINTS[status]}" if status in _HINTS else ""
    return ProviderFailed(
        f"{name} has answered {reason}{said}",
        is_transient=status in _TRANSIENT_STATUSES or status >= _ANY_SERVER_ERROR,
        retry_after=_retry_after(response.headers),
    )


def event_failure(name: str, error: Any, text: str) -> ProviderFailed:
    """Return the failure that an error within a stream means; `text` is what the server says."""
    fields = error if isinstance(error, Mapping) else {}
    kinds = {it for it in (fields.get("type"), fields.get("code")) if isinstance(it, str | int)}
    return ProviderFailed(
        f"{name} has failed: {text or 'it does not say why'}",
        is_transient=not kinds.isdisjoint(_TRANSIENT_TYPES | _TRANSIENT_STATUSES),
    )


def error_text(body: bytes) -> str:
    """Return the message in the JSON or plain text of an error on one line; empty for a web page."""
    text = body[:_MOST_READ].decode(errors="replace")
    try:
        return message_in(json.loads(text))
    except (ValueError, RecursionError):
        return "" if text.lstrip().startswith("<") else _on_one_line(text)


def message_in(value: Any) -> str:
    """Return the message of an error on one line; servers of different makes put it in different places."""
    while not isinstance(value, str):
        if isinstance(value, list) and value:
            value = value[0]
        elif isinstance(value, Mapping):
            value = next((value[it] for it in _MESSAGE_KEYS if value.get(it)), "")
        else:
            return ""
    return _on_one_line(value)


def _on_one_line(text: str) -> str:
    return " ".join("".join(it if it.isprintable() else " " for it in text).split())


def _retry_after(headers: Mapping[str, str]) -> float | None:
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    if text.isdecimal() and text.isascii():
        return float(text[:12])
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
