"""The routes by which browsers sign in and out, and operators get links."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from stringd.plugin import RequestRefused, Runtime
from stringd_console.access.checked_request import (
    cookie_name,
    require_acting_browser,
    require_same_origin,
    signed_in_browser,
)
from stringd_console.access.passed_requests import OPERATOR_HEADER
from stringd_console.access.signed_in_browsers import SignedInBrowsers
from stringd_console.page_responses import json_response, protected_route, read_fields

_TICKET_SECONDS = 600.0


class OperatorTokenRequired(RequestRefused):
    """Only the operator may have a link."""

    status = 403
    code = "OPERATOR_REQUIRED"


class AccessRoutes:
    """Exchanges the operator's token for links, and links for cookies."""

    def __init__(self, runtime: Runtime, browsers: SignedInBrowsers, root: str) -> None:
        self._runtime = runtime
        self._browsers = browsers
        self._root = root

    @property
    def routes(self) -> Sequence[BaseRoute]:
        """The routes below the console's root."""
        return (
            protected_route("POST", f"{self._root}/tickets", self._make_ticket),
            protected_route("POST", f"{self._root}/sign-in", self._sign_in),
            protected_route("POST", f"{self._root}/sign-out", self._sign_out),
        )

    def link(self, seconds: float = float("inf")) -> str:
        """Return a link that signs one browser in."""
        ticket = self._browsers.make_ticket(seconds)
        return f"http://127.0.0.1:{self._runtime.port}{self._root}#token={ticket}"

    async def _make_ticket(self, request: Request) -> Response:
        questions = self._runtime.questions
        if questions.operator_state == "none":
            raise OperatorTokenRequired("This daemon has no operator, who alone could get a link.")
        token = request.headers.get(OPERATOR_HEADER)
        if token is None:
            raise OperatorTokenRequired(f"A link requires the operator's token in {OPERATOR_HEADER}.")
        if not questions.is_operator(token.strip()):
            raise OperatorTokenRequired("This is not the token of this daemon's operator.")
        return json_response({"url": self.link(_TICKET_SECONDS)})

    async def _sign_in(self, request: Request) -> Response:
        require_same_origin(request)
        ticket = (await read_fields(request)).get("ticket", "")
        signed_in = self._browsers.sign_in(ticket, request.headers.get("user-agent", ""))
        if signed_in is None:
            message = "This link is unknown, used or expired; `stringd console` prints another one."
            return json_response({"error": message}, 403)
        if earlier := signed_in_browser(request, self._browsers):
            self._browsers.sign_out(earlier.id)
        response = json_response({"key": signed_in.key})
        response.set_cookie(
            cookie_name(request),
            signed_in.cookie,
            path=self._root,
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return response

    async def _sign_out(self, request: Request) -> Response:
        self._browsers.sign_out(require_acting_browser(request, self._browsers).id)
        return json_response({"go": self._root})
