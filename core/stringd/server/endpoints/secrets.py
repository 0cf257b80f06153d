"""`/secrets`: the secrets for plugins; see docs/reference/http.md."""

from __future__ import annotations

from typing import Any

from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import Response

from stringd.api.secrets import PluginSecret, check_secret_value
from stringd.errors import InvalidBody
from stringd.runtime.local import LocalRuntime
from stringd.server.json_responses import Json
from stringd.server.requests import parse_json, path_segments, read_body, runtime_of

_EXPECTED = '{ "name": "...", "value": "..." }'


class SecretsEndpoint(HTTPEndpoint):
    """Lists and sets secrets."""

    async def get(self, request: Request) -> Response:
        """List the names of the secrets, never their values."""
        secrets = await runtime_of(request).secrets.all_plugin_secrets()
        return Json({"secrets": [_as_json(it) for it in secrets]})

    async def post(self, request: Request) -> Response:
        """Store a secret, for all users and plugins or for one."""
        runtime = runtime_of(request)
        fields = parse_json(await read_body(request.receive), _EXPECTED)
        secret = _secret(fields.get("name"), fields.get("user_id"), fields.get("plugin"))
        _check_owners(secret, runtime)
        try:
            value = check_secret_value(fields.get("value"))
        except ValueError as error:
            raise InvalidBody(str(error)) from None
        created = await runtime.secrets.set_plugin_secret(secret, value)
        return Json({**_as_json(secret), "created": created})


class SecretEndpoint(HTTPEndpoint):
    """Removes secrets."""

    async def delete(self, request: Request) -> Response:
        """Remove a secret of the given user and plugin."""
        query = request.query_params
        secret = _secret("/".join(path_segments(request)[1:]), query.get("user_id"), query.get("plugin"))
        deleted = await runtime_of(request).secrets.remove_plugin_secret(secret)
        return Json({**_as_json(secret), "deleted": deleted})


def _secret(name: Any, user_id: Any, plugin: Any) -> PluginSecret:
    for text, what in ((user_id, "user_id"), (plugin, "plugin")):
        if not isinstance(text, str | None):
            raise InvalidBody(f"{what} must be a string")
    try:
        return PluginSecret(name=name, user_id=user_id or None, plugin=plugin or None)
    except ValueError as error:
        raise InvalidBody(str(error)) from None


def _check_owners(secret: PluginSecret, runtime: LocalRuntime) -> None:
    if secret.user_id:
        runtime.user(secret.user_id)
    known = {report.candidate.name for report in runtime.plugins.reports}
    if secret.plugin and secret.plugin not in known:
        raise InvalidBody(f"no plugin {secret.plugin}; there are {', '.join(sorted(known))}")


def _as_json(secret: PluginSecret) -> dict[str, str | None]:
    return {"name": secret.name, "user_id": secret.user_id, "plugin": secret.plugin}
