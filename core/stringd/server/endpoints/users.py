"""`/users`; see docs/reference/http.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import Response

from stringd.errors import InvalidBody
from stringd.server.json_responses import Json
from stringd.server.requests import (
    parse_json,
    path_segments,
    read_body,
    runtime_of,
)
from stringd.users.fields import checked_id, checked_path
from stringd.users.user_store import as_json

_EXPECTED = '{ "id": "...", "home": "..." }'


class UsersEndpoint(HTTPEndpoint):
    """Lists and registers users."""

    async def get(self, request: Request) -> Response:
        """List the users."""
        return Json({"users": [as_json(user) for user in runtime_of(request).users]})

    async def post(self, request: Request) -> Response:
        """Register a user, or update its home; a new home ends the sessions of the old one."""
        runtime = runtime_of(request)
        fields = parse_json(await read_body(request.receive), _EXPECTED)
        user_id = checked_id(fields.get("id"))
        home = checked_path(fields.get("home"), "home")
        allowed_paths = _allowed_paths(fields)
        user, created = await runtime.user_changes.register(user_id, home, allowed_paths)
        return Json({"user_id": user.id, "home": str(user.home), "created": created})


class UserEndpoint(HTTPEndpoint):
    """Removes users."""

    async def delete(self, request: Request) -> Response:
        """Remove a user and end its sessions; keep the files in its home."""
        runtime = runtime_of(request)
        segments = path_segments(request)
        if len(segments) != 2 or not segments[1]:
            raise InvalidBody("id required")
        deleted = await runtime.user_changes.remove(segments[1])
        return Json({"user_id": segments[1], "deleted": deleted})


def _allowed_paths(fields: Mapping[str, Any]) -> tuple[Path, ...] | None:
    paths = fields.get("allowedPaths")
    if paths is None:
        return None
    if not isinstance(paths, list):
        raise InvalidBody("allowedPaths must be a list of absolute paths")
    return tuple(checked_path(path, "each of allowedPaths") for path in paths)
