"""The Starlette application: the protocol's endpoints, then the routes of plugins, behind one door."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from stringd.config import Config
from stringd.daemon.chanflow import chanflow
from stringd.daemon.door import Door
from stringd.daemon.exec import Execute
from stringd.daemon.sessions import SessionEndpoint, SessionsEndpoint
from stringd.daemon.system import Health, Shutdown, Status
from stringd.daemon.users import UserEndpoint, UsersEndpoint
from stringd.errors import ClientGone, RequestRefused
from stringd.kernel import Kernel

PROTOCOL = (
    Route("/exec", Execute(), methods=["POST"], name="exec"),
    Route("/users", UsersEndpoint),
    Route("/users/{path:path}", UserEndpoint),
    Route("/sessions", SessionsEndpoint),
    Route("/sessions/{path:path}", SessionEndpoint),
    Route("/chanflow", chanflow, methods=["POST"]),
    Route("/health", Health),
    Route("/status", Status),
    Route("/shutdown", Shutdown),
)
_NO_ANSWER = 499


def make_kernel(config: Config) -> Kernel:
    """Load the plugins; the protocol's paths are nobody's to claim."""
    return Kernel(config, own_routes=PROTOCOL)


def make_app(kernel: Kernel, stop: Callable[[], Awaitable[None]]) -> ASGIApp:
    """Return what the server serves."""
    app = Starlette(
        routes=[*PROTOCOL, *kernel.catalogue.routes],
        exception_handlers={
            HTTPException: _http_error,
            RequestRefused: _refused,
            ClientGone: _nobody_there,
            Exception: _failed,
        },
    )
    app.router.redirect_slashes = False
    app.state.kernel = kernel
    app.state.stop = stop
    return Door(app, allowed_origins=kernel.config.allowed_origins)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    where = f"{error.detail}: {request.method} {request.url.path}"
    return JSONResponse({"error": where}, error.status_code, headers=error.headers)


async def _refused(_: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, RequestRefused)
    return JSONResponse(refusal.body(), refusal.status)


async def _nobody_there(_: Request, __: Exception) -> Response:
    return Response(status_code=_NO_ANSWER)


async def _failed(_: Request, __: Exception) -> Response:
    message = "The request failed unexpectedly; the daemon's log says why."
    return JSONResponse({"error": "INTERNAL_ERROR", "message": message}, 500)
