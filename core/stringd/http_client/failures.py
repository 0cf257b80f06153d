"""The reasons why an HTTP exchange failed, from the exceptions of httpcore, h11 and ssl."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator
from http import HTTPStatus

import h11
import httpcore


def failure_reason(error: Exception) -> str:
    """Return why there is no response, in a few words."""
    if isinstance(error, httpcore.RemoteProtocolError):
        return _head_failure_reason(error)
    if isinstance(error, (httpcore.ConnectTimeout, httpcore.PoolTimeout)):
        return "no connection in time"
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLError):
            return f"TLS: {_untrusted(cause)}"
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno).lower()
    return str(error) or "the connection was lost"


def body_failure_reason(error: httpcore.RemoteProtocolError, *, ended: bool) -> str:
    """Return why the body of a response is incomplete; `ended` if the peer has closed the connection."""
    if ended and not _is_too_large(error):
        return "the answer is cut off"
    return _head_failure_reason(error)


def _head_failure_reason(error: httpcore.RemoteProtocolError) -> str:
    if _is_too_large(error):
        return "the head of the answer is too large"
    if _parser_error(error) is None:
        # Raised by httpcore itself: the peer closed the connection before it sent a response.
        return "the connection was closed without an answer"
    return f"the answer is not valid HTTP ({error})"


def _is_too_large(error: httpcore.RemoteProtocolError) -> bool:
    cause = _parser_error(error)
    return cause is not None and cause.error_status_hint == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE


def _parser_error(error: httpcore.RemoteProtocolError) -> h11.RemoteProtocolError | None:
    return next((it for it in _causes(error) if isinstance(it, h11.RemoteProtocolError)), None)


def _untrusted(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    return (error.reason or str(error)).lower().replace("_", " ")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes, outermost first."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        else:
            error = error.__cause__ or error.__context__
