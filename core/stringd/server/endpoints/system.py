"""`/health`, `/status` and `/shutdown`."""

from __future__ import annotations

import os

from starlette.background import BackgroundTask
from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import Response

from stringd import __version__
from stringd.server.json_responses import Json
from stringd.server.requests import runtime_of


class Health(HTTPEndpoint):
    """Tells that the daemon lives."""

    async def get(self, request: Request) -> Response:
        """Count users and sessions (seed 1)."""
        runtime = runtime_of(request)
        return Json({"ok": True, "users": len(runtime.users), "sessions": len(runtime.registry)})


class Status(HTTPEndpoint):
    """Tells what a person wants to know of a running daemon."""

    async def get(self, request: Request) -> Response:
        """Describe the process, its plugins, and what went wrong at its start."""
        runtime = runtime_of(request)
        loaded = [str(report.candidate) for report in runtime.plugins.reports if not report.skipped]
        return Json(
            {
                "version": __version__,
                "pid": os.getpid(),
                "data_dir": str(runtime.config.data_dir.absolute()),
                "users": len(runtime.users),
                "sessions": len(runtime.registry),
                "plugins": loaded,
                "notices": runtime.notices,
            }
        )


class Shutdown(HTTPEndpoint):
    """Ends the daemon."""

    async def post(self, request: Request) -> Response:
        """Answer, then stop after a moment (seed 1)."""
        return Json(
            {"ok": True, "message": "stringd shutting down"},
            background=BackgroundTask(request.app.state.stop),
        )
