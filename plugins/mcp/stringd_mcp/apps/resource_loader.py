"""Open the resources of servers: `mcp:APP/URI` anywhere, and the server's own URIs in topics of the app."""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from stringd.plugin import (
    CommandLine,
    ErrorCode,
    Invocation,
    LoadedBytes,
    LoadRequest,
    Refusal,
    Runtime,
    SecretScope,
    Zone,
)
from stringd.plugin.documents import confine
from stringd.plugin.text import parse_media_type
from stringd_mcp.apps.app_servers import AppServers
from stringd_mcp.apps.resource_uris import SCHEME, resource_uri, split_resource_uri
from stringd_mcp.apps.server_package import is_server_package

_PACKAGES = "packages"
_MARKDOWN = "text/markdown"
_MOST_PARTS = 100


class ResourceLoader(Struct, frozen=True, kw_only=True):
    """Loads resources by the servers of apps."""

    runtime: Runtime
    servers: AppServers

    def adopts(self, wanted: LoadRequest) -> bool:
        """Whether a topic is that of a server, so that any URI may be one of its resources."""
        directory = self._directory(wanted, wanted.session.name.name)
        return wanted.session.name.type == "app" and directory is not None

    async def load(self, wanted: LoadRequest) -> LoadedBytes:
        """Return a resource, or refuse."""
        named = split_resource_uri(wanted.uri)
        if wanted.uri.startswith(f"{SCHEME}:") and named is None:
            raise Refusal(ErrorCode.INVALID_TARGET, f"Resources are named {SCHEME}:APP/URI, not {wanted.uri}")
        app, uri = named or (wanted.session.name.name, wanted.uri)
        directory = self._directory(wanted, app)
        if directory is None:
            raise Refusal(ErrorCode.NOT_FOUND, f"No MCP server is installed as {app}", "/apps lists the apps")
        invocation = Invocation(
            line=CommandLine(text=f"/open {wanted.uri}"),
            session=wanted.session,
            topic=wanted.topic,
            runtime=self.runtime,
            arrived=time.monotonic(),
        )
        used = await self.servers.used(directory, invocation, self._secrets(wanted, app))
        zone, result = await used.send(lambda it: _read(it.zone, it.read_resource(used.call, uri)))
        return _loaded(resource_uri(app, uri), result, zone)

    def _directory(self, wanted: LoadRequest, app: str) -> Path | None:
        user = wanted.session.user
        directory = user.home / _PACKAGES / app
        if not is_server_package(directory):
            return None
        return confine(directory, f"app:{app}", user, full_access=self.runtime.config.full_access)

    def _secrets(self, wanted: LoadRequest, app: str) -> Mapping[str, str]:
        """Return the app's `$NAME`s, which are only available in its own topics."""
        name = wanted.session.name
        scope: SecretScope | None = wanted.topic.secret_scope()
        return self.runtime.secrets.of(scope) if scope and (name.type, name.name) == ("app", app) else {}


async def _read(zone: Zone, result: Any) -> tuple[Zone, Mapping[str, Any]]:
    return zone, await result


def _loaded(uri: str, result: Mapping[str, Any], zone: Zone) -> LoadedBytes:
    contents = [it for it in result.get("contents") or [] if isinstance(it, dict)]
    if len(contents) == 1:
        media_type, body = _content(contents[0])
        return LoadedBytes(uri=uri, media_type=media_type, body=body, zone=zone)
    text = "\n\n".join(_listed(contents)) or "(empty)"
    return LoadedBytes(uri=uri, media_type=f"{_MARKDOWN}; charset=utf-8", body=text.encode(), zone=zone)


def _content(content: Mapping[str, Any]) -> tuple[str, bytes]:
    declared = str(content.get("mimeType") or "")
    if isinstance(blob := content.get("blob"), str):
        try:
            return declared or "application/octet-stream", base64.b64decode(blob, validate=True)
        except (binascii.Error, ValueError):
            raise Refusal(ErrorCode.LOAD_ERROR, "The server has sent invalid base64.") from None
    text = str(content.get("text") or "")
    media_type = parse_media_type(declared or "text/plain").type
    return f"{media_type}; charset=utf-8", text.encode(errors="replace")


def _listed(contents: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """Yield the texts of a resource of several parts, such as a directory."""
    for content in list(contents)[:_MOST_PARTS]:
        media_type, body = _content(content)
        uri = content.get("uri")
        yield f"    {uri}\n\n{body.decode()}" if "text" in content else f"    {uri} ({media_type})"
