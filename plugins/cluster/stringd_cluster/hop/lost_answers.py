"""What is done about requests whose answer was lost with the node that had the home."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus

from starlette.types import Message, Send

from stringd.plugin import ErrorCode
from stringd.plugin.stores import HomeMoved, OutcomeUnknown
from stringd_cluster.hop.hop_headers import ELSEWHERE, HOP, Headers, value_of
from stringd_cluster.hop.incoming_request import IncomingRequest

_EXEC = "/exec"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_CODE = b"x-error-code"
_NEVER_RAN = frozenset({ErrorCode.HOME_UNAVAILABLE.encode(), ErrorCode.SHUTTING_DOWN.encode()})
_FENCED = ErrorCode.FENCED.encode()
_REFUSALS = frozenset(
    {
        HTTPStatus.GONE,
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)


class AnswerLost(OutcomeUnknown):
    """The node that had the request is gone; the same request id may be sent again at once."""

    headers: Mapping[str, str] = {"Retry-After": "1"}

    def __init__(self) -> None:
        super().__init__(
            "The node that this was sent to is gone, and has not answered: whether it ran is not known. "
            "A command can be sent again with the same request_id: it runs at most once."
        )


class OwnerUnreachable(HomeMoved):
    """No node that has the home could be asked in time; nothing has run."""

    headers: Mapping[str, str] = {"Retry-After": "1"}

    def __init__(self) -> None:
        super().__init__("The node with the home can't be reached from here, or is giving it up. Try again.")


def never_ran(status: int, headers: Headers) -> bool:
    """Whether a node refuses a request since it does not have the home, or soon will not."""
    if status == HTTPStatus.MISDIRECTED_REQUEST:
        return value_of(headers, HOP) == ELSEWHERE
    return status == HTTPStatus.SERVICE_UNAVAILABLE and value_of(headers, _CODE) in _NEVER_RAN


def is_fenced(status: int, headers: Headers) -> bool:
    """Whether a home has left a node while the request ran there."""
    return status == HTTPStatus.SERVICE_UNAVAILABLE and value_of(headers, _CODE) == _FENCED


def may_be_repeated(request: IncomingRequest) -> bool:
    """Whether it does no harm if a request runs that may have run before."""
    return request.can_be_sent_again and (request.method in _SAFE or _runs_once(request))


def is_safe(request: IncomingRequest) -> bool:
    """Whether a request changes nothing."""
    return request.method in _SAFE


def unless_refused(send: Send) -> Send:
    """Return a `send` for a repeated command: a refusal would say that it never ran, but it may have."""

    async def checked(message: Message) -> None:
        if message["type"] == "http.response.start" and _is_refusal(message):
            raise AnswerLost
        await send(message)

    return checked


def _is_refusal(message: Message) -> bool:
    code = value_of(message.get("headers", ()), _CODE)
    return message["status"] in _REFUSALS and code != ErrorCode.OUTCOME_UNKNOWN.encode()


def _runs_once(request: IncomingRequest) -> bool:
    """Whether it is a command with a request id."""
    if request.path != _EXEC or not request.kept:
        return False
    try:
        fields = json.loads(request.kept)
    except ValueError:
        return False
    return isinstance(fields, dict) and isinstance(fields.get("request_id"), str)
