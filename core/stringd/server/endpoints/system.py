"""`GET /health`, `GET /status` and `POST /shutdown`; see docs/reference/http.md."""

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
    """`/health`: whether the daemon runs."""

    async def get(self, request: Request) -> Response:
        """Return the numbers of users and sessions."""
        runtime = runtime_of(request)
        return Json({"ok": True, "users": len(runtime.users), "sessions": len(runtime.registry)})


class Status(HTTPEndpoint):
    """`/status`: the daemon in detail."""

    async def get(self, request: Request) -> Response:
        """Describe the process, its plugins, their topic types, and notices from startup."""
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
                "topic_types": [
                    {"name": name, "opens_urls": it.opens_urls}
                    for name, it in sorted(runtime.catalogue.topic_types.items())
                ],
                "notices": runtime.notices,
            }
        )


class Shutdown(HTTPEndpoint):
    """`/shutdown`: end the daemon."""

    async def post(self, request: Request) -> Response:
        """Answer, then stop."""
        return Json(
            {"ok": True, "message": "stringd shutting down"},
            background=BackgroundTask(request.app.state.stop),
        )
