"""`/approval/rules`: the rules that the nodes of a cluster share."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stringd.plugin import ErrorCode, Questions, RequestRefused
from stringd_approval.asking.grant_routes import NotTheOperator
from stringd_approval.policy.shared_rules import LARGEST, RulesInvalid, SharedRules

PATH = "/approval/rules"
_TOKEN = "X-Operator-Token"  # noqa: S105 - the name of a header


class RulesRefused(RequestRefused):
    """The body is no list of rules that can be shared; the message says why."""

    status = 400
    code = ErrorCode.INVALID_PAYLOAD
    code_in_body = True


class NoCluster(RequestRefused):
    """The daemon is no node, so that it has no rules but those of its file."""

    status = 404
    code = ErrorCode.NOT_FOUND
    code_in_body = True


def rule_routes(find: Callable[[], SharedRules | None], questions: Questions) -> list[Route]:
    """Return the routes that show the shared rules, and change them for the operator."""

    def rules(request: Request) -> SharedRules:
        if not questions.is_operator(request.headers.get(_TOKEN, "")):
            raise NotTheOperator(f"Only the operator may see and change rules, with the token in {_TOKEN}.")
        found = find()
        if found is None:
            raise NoCluster("Only nodes of a cluster share rules; those of a daemon are in approval.yaml.")
        return found

    async def shown(request: Request) -> Response:
        shared = rules(request)
        text = await shared.read()
        return JSONResponse({"rules": text, "sha256": shared.policy.digest})

    async def published(request: Request) -> Response:
        shared = rules(request)
        try:
            text = await _text_of(request)
            policy = await shared.publish(text)
        except (RulesInvalid, UnicodeDecodeError) as error:
            raise RulesRefused(f"These rules can't be shared: {error}") from None
        return JSONResponse({"rules": text, "sha256": policy.digest})

    async def withdrawn(request: Request) -> Response:
        return JSONResponse({"withdrawn": await rules(request).withdraw()})

    return [
        Route(PATH, shown, methods=["GET"]),
        Route(PATH, published, methods=["PUT"]),
        Route(PATH, withdrawn, methods=["DELETE"]),
    ]


async def _text_of(request: Request) -> str:
    body = await request.body()
    if len(body) > LARGEST:
        raise RulesInvalid(f"they are larger than {LARGEST // 1024} KiB")
    return body.decode()
