"""Parsing of the daemon's answers: JSON on success, the daemon's own exception otherwise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from stringd.errors import (
    ERROR_CODE_HEADER,
    AnswerInvalid,
    BodyTooLarge,
    DaemonUnreachable,
    ErrorCode,
    Fenced,
    HomeMoved,
    InvalidBody,
    InvalidRequest,
    InvalidTopic,
    Misdirected,
    OperatorRequired,
    OriginRefused,
    OutcomeUnknown,
    PortTaken,
    QuestionClosed,
    QuestionNotFound,
    QueueFull,
    QueueTimeout,
    Relayed,
    RequestRefused,
    SessionClosed,
    ShuttingDown,
    StorageFailed,
    UnknownUser,
    UserRequired,
)

if TYPE_CHECKING:
    from stringd.client.records import JsonObject, Reply

_REBUILT: tuple[type[RequestRefused], ...] = (
    *(AnswerInvalid, OperatorRequired, QuestionClosed, QuestionNotFound),
    *(BodyTooLarge, InvalidBody, InvalidRequest, InvalidTopic, Misdirected, OriginRefused, QueueFull),
    *(Fenced, HomeMoved, OutcomeUnknown),
    *(QueueTimeout, Relayed, SessionClosed, ShuttingDown, StorageFailed, UnknownUser, UserRequired),
)
_CODES = frozenset(map(str, ErrorCode))
_BY_CODE = {str(kind.code): kind for kind in _REBUILT}
# These statuses have one meaning each without a code that is known.
_BY_STATUS = {
    kind.status: kind for kind in (BodyTooLarge, QueueFull, QueueTimeout, SessionClosed, UnknownUser)
}


RETRY_AFTER = "Retry-After"
_HINTS = {
    str(ErrorCode.TOKEN_REQUIRED): "Programs take it from STRINGD_TOKEN, or from the file of --token-file.",
}


class UnexpectedAnswer(Exception):
    """An answer that no daemon gives."""


class ConnectionLost(DaemonUnreachable):
    """The connection ended after a request was sent, and before it was answered."""

    def __init__(self, place: str) -> None:
        super().__init__(f"The daemon {place} went away without an answer.")


def port_taken(place: str) -> PortTaken:
    """Return the exception for a place whose answers are not a daemon's."""
    return PortTaken(f"What listens {place} does not answer like stringd.")


def json_object(reply: Reply, *needed: str) -> JsonObject:
    """Return the JSON object of a successful reply, or raise the daemon's refusal."""
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
    """Rebuild the exception that the daemon answered with, from its code or else its status."""
    found = _parsed(reply.body) or {}
    reason = str(found.get("error", f"The daemon answered {reply.status}."))
    code_in_body = None if found.get("message") is None else reason
    message = str(found.get("message", reason))
    code = reply.headers.get(ERROR_CODE_HEADER.lower()) or code_in_body
    kind = _BY_CODE.get(code) if code in _CODES else _BY_STATUS.get(reply.status)
    message = f"{message} {_HINTS[code]}" if code in _HINTS else message
    refused = kind.rebuilt(message) if kind else _other(reply.status, code, message)
    # What this daemon has said, whatever others of this kind have.
    seconds = reply.headers.get("retry-after")
    refused.headers = {RETRY_AFTER: seconds} if seconds else {}
    return refused


def _other(status: int, code: str | None, message: str) -> RequestRefused:
    refused = RequestRefused(message)
    refused.status, refused.code = status, code
    return refused


def _parsed(body: bytes) -> JsonObject | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
