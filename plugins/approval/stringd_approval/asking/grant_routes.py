"""`/approval/grants`: the grants that hold, and their end at the operator's wish."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stringd.plugin import ErrorCode, Questions, RequestRefused

PATH = "/approval/grants"
_TOKEN = "X-Operator-Token"  # noqa: S105 - the name of a header


class GrantNotFound(RequestRefused):
    """No grant has this id, or it has ended."""

    status = 404
    code = ErrorCode.NOT_FOUND
    code_in_body = True


class NotTheOperator(RequestRefused):
    """The request needs the operator's token."""

    status = 403
    code = ErrorCode.OPERATOR_REQUIRED
    code_in_body = True


def grant_routes(
    listing: Callable[[], Awaitable[Sequence[Mapping[str, Any]]]],
    withdraw: Callable[[str], Awaitable[bool]],
    questions: Questions,
) -> list[Route]:
    """Return the routes that list grants for everyone, and revoke them for the operator."""

    async def listed(_: Request) -> Response:
        return JSONResponse({"grants": [*await listing()]})

    async def revoked(request: Request) -> Response:
        if not questions.is_operator(request.headers.get(_TOKEN, "")):
            raise NotTheOperator(f"Only the operator may revoke a grant, with the token in {_TOKEN}.")
        grant_id = request.path_params["grant_id"]
        if not await withdraw(grant_id):
            raise GrantNotFound("There is no such grant.")
        return JSONResponse({"id": grant_id, "revoked": True})

    return [
        Route(PATH, listed, methods=["GET"]),
        Route(f"{PATH}/{{grant_id}}", revoked, methods=["DELETE"]),
    ]
