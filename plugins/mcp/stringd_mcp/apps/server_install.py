"""Make the files of an app of an MCP server: start it, ask what it offers, and write its pages."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from urllib.parse import urlsplit

from msgspec.structs import replace

from stringd.plugin import ErrorCode, Invocation, Refusal
from stringd.plugin.workers import STORAGE
from stringd_app import AppFile, SourceApp, SourceRequest
from stringd_mcp.apps.app_servers import key_of
from stringd_mcp.apps.install_words import WantedServer, wanted_server
from stringd_mcp.apps.server_package import ServerPackage, read_package
from stringd_mcp.apps.server_pages import offers_of, pages_of
from stringd_mcp.connections.server_listing import ServerListing
from stringd_mcp.connections.server_pool import ServerPool

_PACKAGES = "packages"


async def stage_server(request: SourceRequest, pool: ServerPool) -> SourceApp:
    """Return the app of a server, or refuse; it is started, unless a secret is missing."""
    invocation = request.invocation
    wanted = await STORAGE.run(_named, request)
    secrets = _secrets(invocation)
    missing = [it for it in wanted.server.secret_names if not secrets.get(it)]
    if missing and request.installed:
        topic = f"app:{request.installed.name}"
        raise Refusal(
            ErrorCode.ENV_REQUIRED,
            f"{', '.join(f'${it}' for it in missing)} is not set here: the server needs it.",
            f"Run this in the topic {topic}, which has the app's $NAMEs.",
        )
    listing = ServerListing() if missing else await _listing(wanted, request, secrets, pool)
    files = ServerPackage(name=wanted.name, server=wanted.server, listing=listing).files(
        pages_of(wanted.name, wanted.server, listing)
    )
    server = wanted.server
    return SourceApp(
        name=wanted.name,
        files=tuple(AppFile(path=path, data=data) for path, data in files.items()),
        runs=() if server.url else (server.shown,),
        hosts=(urlsplit(server.url).netloc,) if server.url else (),
        notes=(*_notes(wanted, listing, missing),),
        place=f"mcp:{server.url}" if server.url else f"mcp:{shlex.join(server.command)}",
    )


def _named(request: SourceRequest) -> WantedServer:
    """Return the wanted server by the name that its app has, or that the user wants for it."""
    wanted = wanted_server(request.words, request.invocation)
    installed = read_package(request.installed).name if request.installed else None
    return replace(wanted, name=installed or request.alias or wanted.name)


async def _listing(
    wanted: WantedServer, request: SourceRequest, secrets: Mapping[str, str], pool: ServerPool
) -> ServerListing:
    """Return what the server offers; it is ended afterwards."""
    invocation = request.invocation
    directory = request.installed or invocation.session.user.home / _PACKAGES / wanted.name
    key = replace(key_of(directory, invocation.session), app=wanted.name, config=None, is_trial=True)
    try:
        return await pool.listing(key, wanted.server.filled(secrets), pool.call(key, invocation))
    finally:
        await pool.end(lambda it: it == key)


def _secrets(invocation: Invocation) -> Mapping[str, str]:
    """Return the `$NAME`s of the topic, if it is that of an app."""
    scope = invocation.topic.secret_scope() if invocation.session.name.type == "app" else None
    return invocation.runtime.secrets.of(scope) if scope else {}


def _notes(wanted: WantedServer, listing: ServerListing, missing: list[str]) -> list[str]:
    notes = [f"${it} is not taken from the file: it looks like a secret" for it in wanted.left_out]
    if missing:
        notes += [f'set it in the app\'s topic: /set ${it} = "..."' for it in missing]
        return [*notes, "then, in that topic: /act.connect, which starts the server and lists its tools"]
    return [*notes, f"offers: {offers_of(listing)} (protocol {listing.protocol})"]
