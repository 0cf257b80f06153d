"""`/health`, `/status` and `/shutdown`."""

from __future__ import annotations

import os

from starlette.background import BackgroundTask
from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import Response

from stringd import __version__
from stringd.daemon.answers import Json
from stringd.daemon.requests import kernel_of


class Health(HTTPEndpoint):
    """Tells that the daemon lives."""

    async def get(self, request: Request) -> Response:
        """Count users and sessions (seed 1)."""
        kernel = kernel_of(request)
        return Json({"ok": True, "users": len(kernel.users), "sessions": len(kernel.registry)})


class Status(HTTPEndpoint):
    """Tells what a person wants to know of a running daemon."""

    async def get(self, request: Request) -> Response:
        """Describe the process, its plugins, and what went wrong at its start."""
        kernel = kernel_of(request)
        loaded = [str(report.candidate) for report in kernel.plugins.reports if not report.skipped]
        return Json(
            {
                "version": __version__,
                "pid": os.getpid(),
                "data_dir": str(kernel.config.data_dir.absolute()),
                "users": len(kernel.users),
                "sessions": len(kernel.registry),
                "plugins": loaded,
                "notices": kernel.notices,
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
