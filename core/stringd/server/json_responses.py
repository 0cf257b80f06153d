"""JSON responses, and the responses to errors."""

from __future__ import annotations

import logging

from starlette.responses import Response

from stringd.errors import ERROR_CODE_HEADER, ClientGone, ErrorCode, RequestRefused
from stringd.text.escaping import visible_json
from stringd.text.wire_json import dump_json

log = logging.getLogger(__name__)

_FAILED = "The request failed unexpectedly; the daemon's log says why."
_CLIENT_CLOSED_REQUEST = 499


class Json(Response):
    """A JSON response."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        """Encode the content with control characters escaped: it quotes requests and may reach a terminal."""
        return visible_json(dump_json(content).decode()).encode()


def answer_to(error: Exception) -> Response:
    """Return the response to an error; the details of unexpected errors go to the log only."""
    if isinstance(error, RequestRefused):
        return Json(error.body(), error.status, {**error.headers, **_code_header(error)})
    if isinstance(error, ClientGone):
        return Response(status_code=_CLIENT_CLOSED_REQUEST)
    log.error("a request failed", exc_info=error)
    code = ErrorCode.INTERNAL_ERROR
    return Json({"error": code, "message": _FAILED}, 500, {ERROR_CODE_HEADER: code})


def _code_header(error: RequestRefused) -> dict[str, str]:
    return {} if error.code is None else {ERROR_CODE_HEADER: error.code}
