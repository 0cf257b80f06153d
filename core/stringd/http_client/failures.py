"""Why an exchange failed, in the words of whoever has to do something about it."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator

import httpcore

_TOO_LONG = "Receive buffer too long"
_SILENT = "Server disconnected without sending a response."
_CUT_OFF = "peer closed connection without sending complete message body"


def reason(error: Exception) -> str:
    """Return why there is no answer, in a few words."""
    if isinstance(error, httpcore.RemoteProtocolError):
        return _broken(str(error))
    if isinstance(error, (httpcore.ConnectTimeout, httpcore.PoolTimeout)):
        return "no connection in time"
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLError):
            return f"TLS: {_untrusted(cause)}"
        if isinstance(cause, OSError) and cause.errno:
            return os.strerror(cause.errno).lower()
    return str(error) or "the connection was lost"


def _broken(what: str) -> str:
    if what == _TOO_LONG:
        return "the head of the answer is too large"
    if what == _SILENT:
        return "the connection was closed without an answer"
    if what.startswith(_CUT_OFF):
        return "the answer is cut off"
    return f"the answer is no HTTP ({what})"


def _untrusted(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    return (error.reason or str(error)).lower().replace("_", " ")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error with what led to it, the outermost first."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        else:
            error = error.__cause__ or error.__context__
