"""Replies read: JSON on success, the daemon's own exception otherwise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from stringd.errors import (
    BodyTooLarge,
    InvalidTopic,
    PortTaken,
    QueueFull,
    QueueTimeout,
    RequestRefused,
    SessionClosed,
    ShuttingDown,
    UnknownUser,
)

if TYPE_CHECKING:
    from stringd.client.records import JsonObject, Reply

_BY_CODE: dict[str | None, type[RequestRefused]] = {
    refused.code: refused for refused in (QueueFull, QueueTimeout, SessionClosed, ShuttingDown)
}
_BY_STATUS: dict[int, type[RequestRefused]] = {
    refused.status: refused for refused in (QueueFull, QueueTimeout, SessionClosed, BodyTooLarge)
}
# These two take what was wrong and say the rest themselves.
_BY_OPENING: dict[str, type[UnknownUser | InvalidTopic]] = {
    "Unknown user: ": UnknownUser,
    "Invalid topic: ": InvalidTopic,
}


class UnexpectedAnswer(Exception):
    """A reply that no daemon gives."""


def port_taken(port: int) -> PortTaken:
    """Return what a client raises when the answers on `port` are not a daemon's."""
    return PortTaken(f"What listens on port {port} does not answer like stringd.")


def json_object(reply: Reply, *needed: str) -> JsonObject:
    """Return the JSON object of a successful reply, or raise what the daemon refused with."""
    if reply.status != 200:
        raise refusal(reply)
    found = _parsed(reply.body)
    if found is None or not found.keys() >= set(needed):
        raise UnexpectedAnswer
    return found


def read_health(reply: Reply) -> JsonObject:
    """Return the answer of `/health`, or raise `UnexpectedAnswer` if it is not a daemon's."""
    found = _parsed(reply.body) if reply.status == 200 else None
    if found is None or found.get("ok") is not True or not found.keys() >= {"users", "sessions"}:
        raise UnexpectedAnswer
    return found


def refusal(reply: Reply) -> RequestRefused:
    """Rebuild the exception that the daemon answered with."""
    found = _parsed(reply.body) or {}
    reason = str(found.get("error", f"The daemon answered {reply.status}."))
    known = _BY_CODE.get(reason) or _BY_STATUS.get(reply.status)
    if known:
        return known(str(found.get("message", reason)))
    for opening, refused in _BY_OPENING.items():
        if reason.startswith(opening):
            return refused(reason.removeprefix(opening))
    return _other(reply.status, reason, found.get("message"))


def _other(status: int, reason: str, message: object) -> RequestRefused:
    refused = RequestRefused(reason if message is None else str(message))
    refused.status = status
    refused.code = None if message is None else reason
    return refused


def _parsed(body: bytes) -> JsonObject | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
