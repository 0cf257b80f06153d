"""The ASGI application: the protocol's endpoints and the routes of plugins, behind the request guard."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from inspect import isclass
from typing import TypeGuard

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from stringd.config import Config
from stringd.errors import ClientGone, RequestRefused
from stringd.runtime.local import LocalRuntime
from stringd.server.doorways import behind_doors, is_cors_open
from stringd.server.endpoints.cancel import Cancel
from stringd.server.endpoints.chanflow import chanflow
from stringd.server.endpoints.events import EVENTS, SendEvents
from stringd.server.endpoints.execute import EXEC, Execute
from stringd.server.endpoints.questions import QuestionEndpoint, QuestionsEndpoint, QuestionStream
from stringd.server.endpoints.secrets import SecretEndpoint, SecretsEndpoint
from stringd.server.endpoints.sessions import SessionEndpoint, SessionsEndpoint
from stringd.server.endpoints.system import Health, Shutdown, Status
from stringd.server.endpoints.users import UserEndpoint, UsersEndpoint
from stringd.server.json_responses import Json, answer_to
from stringd.server.request_guard import RequestGuard
from stringd.workers.guarded_calls import call_async

_PROTOCOL = (
    Route("/users", UsersEndpoint),
    Route("/users/{path:path}", UserEndpoint),
    Route("/sessions", SessionsEndpoint),
    Route("/sessions/{path:path}", SessionEndpoint),
    Route("/secrets", SecretsEndpoint),
    Route("/secrets/{path:path}", SecretEndpoint),
    Route("/chanflow", chanflow, methods=["POST"]),
    Route("/cancel", Cancel),
    Route("/questions", QuestionsEndpoint),
    Route("/questions/stream", QuestionStream),
    Route("/questions/{path:path}", QuestionEndpoint),
    Route("/health", Health),
    Route("/status", Status),
    Route("/shutdown", Shutdown),
)


def make_runtime(config: Config) -> LocalRuntime:
    """Load the plugins; none of them may claim a path of the protocol."""
    return LocalRuntime(config, reserved_paths=(EXEC, EVENTS, *(route.path for route in _PROTOCOL)))


def make_app(runtime: LocalRuntime, stop: Callable[[], Awaitable[None]]) -> ASGIApp:
    """Return the ASGI application of the daemon."""
    execute = Execute(runtime)
    app = Starlette(
        routes=[
            Route(EXEC, execute, methods=["POST"], name="exec"),
            Route(EVENTS, SendEvents(runtime), methods=["GET"], name="events"),
            *_PROTOCOL,
            *runtime.catalogue.routes,
        ],
        exception_handlers={
            HTTPException: _http_error,
            RequestRefused: _answered,
            ClientGone: _answered,
            Exception: _answered,
        },
    )
    app.router.redirect_slashes = False
    app.router.default = _nothing_there
    app.state.runtime = runtime
    app.state.stop = stop
    applications = {
        route.path: _contained(route.app, runtime) for route in runtime.catalogue.routes if _is_direct(route)
    }
    behind = _past_starlette({EXEC: execute}, applications, _contained(app, runtime))
    doors = runtime.catalogue.doors
    origins = runtime.config.allowed_origins
    guard = RequestGuard(behind, allowed_origins=origins, is_cors_open=is_cors_open(doors))
    return behind_doors(doors, guard)


def _past_starlette(
    posted: Mapping[str, ASGIApp], applications: Mapping[str, ASGIApp], app: ASGIApp
) -> ASGIApp:
    """Route to endpoints that are applications: Starlette's layers cost as much as a small command."""

    def dispatch(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        path = scope["path"]
        found = applications.get(path) if scope["type"] == "http" else None
        if scope.get("method") == "POST":
            found = posted.get(path, found)
        return (found or app)(scope, receive, send)

    return dispatch


def _is_direct(route: BaseRoute) -> TypeGuard[Route]:
    """Whether a route is one path for an ASGI application of its own, whatever the method."""
    if not isinstance(route, Route) or isclass(route.endpoint):
        return False
    return route.methods is None and not route.param_convertors


def _contained(app: ASGIApp, runtime: LocalRuntime) -> ASGIApp:
    """Convert anything that a plugin's route raises to an error that can be answered."""

    async def contained(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await call_async(app, scope, receive, send)
        except asyncio.CancelledError:
            # The server cancels what still runs at its end, and nobody waits for an answer then.
            if not runtime.is_stopping:
                raise

    return contained


async def _nothing_there(scope: Scope, receive: Receive, send: Send) -> None:
    await Json({"error": f"Not Found: {scope['path']}"}, 404)(scope, receive, send)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    where = f"{error.detail}: {request.method} {request.url.path}"
    return Json({"error": where}, error.status_code, error.headers)


async def _answered(_: Request, error: Exception) -> Response:
    return answer_to(error)
