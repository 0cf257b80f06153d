"""`GET /health`, `GET /status` and `POST /shutdown`; see docs/reference/http.md."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable

from starlette.background import BackgroundTask
from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import Response

from stringd import __version__
from stringd.api.health import HealthField
from stringd.server.json_responses import Json
from stringd.server.requests import runtime_of
from stringd.workers.guarded_calls import call

log = logging.getLogger(__name__)


class Health(HTTPEndpoint):
    """`/health`: whether the daemon runs."""

    async def get(self, request: Request) -> Response:
        """Return the numbers of users and sessions, and the plugins' public fields."""
        runtime = runtime_of(request)
        public = _read_fields(it for it in runtime.catalogue.health if it.is_public)
        return Json({"ok": True, "users": len(runtime.users), "sessions": len(runtime.registry), **public})


class Status(HTTPEndpoint):
    """`/status`: the daemon in detail."""

    async def get(self, request: Request) -> Response:
        """Describe the process, its plugins, what they add, and notices from startup."""
        runtime = runtime_of(request)
        loaded = [str(report.candidate) for report in runtime.plugins.reports if not report.skipped]
        return Json(
            {
                "version": __version__,
                "pid": os.getpid(),
                "data_dir": str(runtime.config.data_dir),
                "users": len(runtime.users),
                "sessions": len(runtime.registry),
                "plugins": loaded,
                "topic_types": [
                    {"name": name, "opens_urls": it.opens_urls}
                    for name, it in sorted(runtime.catalogue.topic_types.items())
                ],
                "notices": runtime.notices,
                **_read_fields(runtime.catalogue.health),
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


def _read_fields(fields: Iterable[HealthField]) -> dict[str, object]:
    """Return the values by name; log and return None for a field that fails or is not JSON."""
    return {it.name: _read(it) for it in fields}


def _read(field: HealthField) -> object:
    try:
        value = call(field.read)
        json.dumps(value, allow_nan=False)
    except Exception:
        log.exception("health field %s failed", field.name)
        return None
    return value
