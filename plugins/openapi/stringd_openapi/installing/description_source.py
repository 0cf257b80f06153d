"""The source `openapi`: a local or downloaded description, and the documents that it refers to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from stringd.plugin import Budget, ErrorCode, Refusal, WorkStopped, Zone
from stringd.plugin.text import WebUrl, counted
from stringd_app import AppFile, SourceApp, SourceFile, SourceRequest
from stringd_openapi.app_pages.package_files import BuildRequest, BuiltApp, build_app
from stringd_openapi.installing.other_documents import OtherDocuments
from stringd_openapi.reading.servers import absolute_server

SERVER = "--server"
_BUDGET = Budget(seconds=60.0, memory=3 * 1024**3)
_MOST_ROUNDS = 20
_SHOWN = 5


async def stage_description(request: SourceRequest) -> SourceApp:
    """Return the app of a description, or refuse."""
    file = request.file
    if file is None:
        raise Refusal(
            ErrorCode.INVALID_PAYLOAD,
            "A description is a file or a URL.",
            "Usage: /install URL | openapi.yaml",
        )
    zone = await _zone_of(file, request)
    others = OtherDocuments(request.invocation, file.uri, zone)
    built = await _built(file, request, others, zone)
    return SourceApp(
        name=PurePosixPath(file.name).stem,
        files=tuple(AppFile(path=path, data=data) for path, data in built.files.items()),
        hosts=(urlsplit(built.server).netloc,) if built.server else (),
        notes=tuple(_notes(built, others)),
    )


async def _built(file: SourceFile, request: SourceRequest, others: OtherDocuments, zone: Zone) -> BuiltApp:
    session, workers = request.invocation.session, request.invocation.runtime.workers
    server = _given_server(request)
    for _ in range(_MOST_ROUNDS):
        wanted = BuildRequest(
            data=file.data,
            address=file.uri,
            name="",
            fallback=PurePosixPath(file.name).stem,
            sources=others.found,
            server=server,
            zone="" if zone is Zone.LOOPBACK else zone.name.lower(),
        )
        owner = f"{session.user.id}:{session.name.text}"
        try:
            built = await workers.run(build_app, wanted, owner=owner, budget=_BUDGET)
        except WorkStopped as stopped:
            raise Refusal(ErrorCode.LOAD_ERROR, f"The description cannot be read: {stopped}") from None
        if not built.wanted:
            return built
        await others.fetch(built.wanted)
    raise Refusal(ErrorCode.LOAD_ERROR, f"The description refers further than {_MOST_ROUNDS} documents deep")


def _given_server(request: SourceRequest) -> str:
    given = request.options.get(SERVER, "")
    server = absolute_server(given, "") if given else ""
    if given and not server:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, f"{SERVER}: expected an http(s) URL, received {given}")
    return server


async def _zone_of(file: SourceFile, request: SourceRequest) -> Zone:
    """Return the zone that a description came from: what it names may be no nearer."""
    if not file.uri.startswith(("http://", "https://")):
        return Zone.LOOPBACK
    url = WebUrl.read(file.uri)
    route = await request.invocation.runtime.http.route(url.host, url.port, nearest_zone=Zone.LOOPBACK)
    return route.zone


def _notes(built: BuiltApp, others: OtherDocuments) -> Iterator[str]:
    yield f"{built.title}: {counted(built.operations, 'operation')}"
    if not built.server:
        yield f"[!] It names no server; write one into string.md, or install it with {SERVER} URL"
    for address in built.unknown[:_SHOWN]:
        yield f"[!] Missing document: {others.reason(address)}"
    if len(built.unknown) > _SHOWN:
        yield f"[!] … and {len(built.unknown) - _SHOWN} more"
