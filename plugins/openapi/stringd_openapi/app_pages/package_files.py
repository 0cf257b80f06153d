"""The files of an app for a description; runs in a worker process."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from msgspec import Struct, field

from stringd.plugin import ErrorCode, Refusal
from stringd_openapi.app_pages.front_page import ENTRY, FrontPage
from stringd_openapi.app_pages.tag_pages import tag_pages
from stringd_openapi.model.malformed_parts import malformed_parts
from stringd_openapi.model.names import is_tagged, operation_keys, tag_descriptions
from stringd_openapi.model.operation_reader import OperationReader, security_of
from stringd_openapi.model.operations import Operation
from stringd_openapi.model.security_schemes import security_schemes
from stringd_openapi.reading.bundling import bundle
from stringd_openapi.reading.references import text_of
from stringd_openapi.reading.servers import absolute_server, server_urls
from stringd_openapi.reading.swagger_2 import upgraded

_LONGEST_LINES = 500
_MOST_FAULTS = 5
DESCRIPTION = "openapi.json"
"""The file of an app with the description itself."""


class BuildRequest(Struct, frozen=True, kw_only=True):
    """A description to make an app of.

    `sources` are the documents that it refers to, by address; None where there is none. `server` is the one
    that the user wants, `zone` the nearest network zone that those of the description may be in.
    """

    data: bytes
    address: str
    name: str = ""
    fallback: str = "api"
    sources: Mapping[str, bytes | None] = field(default_factory=dict)
    server: str = ""
    zone: str = ""


class BuiltApp(Struct, frozen=True, kw_only=True):
    """The files of an app, or the addresses of further documents that are `wanted` first."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    wanted: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    title: str = ""
    server: str = ""
    operations: int = 0


def build_app(request: BuildRequest) -> BuiltApp:
    """Return the files of an app, or refuse what is no description."""
    try:
        return _built(request)
    except RecursionError:
        raise Refusal(ErrorCode.INVALID_PAYLOAD, "The description is nested too deeply") from None


def _built(request: BuildRequest) -> BuiltApp:
    found = bundle(request.data, request.address, request.sources)
    if found.wanted:
        return BuiltApp(wanted=found.wanted)
    document, changed = _as_version_3(dict(found.document))
    tagged = is_tagged(document)
    reader = OperationReader(document, tagged=tagged)
    operations = [reader.read(*key) for key in operation_keys(document)]
    if not operations:
        _refuse_malformed(found.document)
    page = _front_page(document, operations, request)
    is_kept = not changed and not found.changed and _is_readable_json(request.data)
    description = request.data if is_kept else _json(document)
    texts = {ENTRY: page.text(), **{it.path: it.text for it in page.tags}}
    return BuiltApp(
        files={**{path: it.encode() for path, it in texts.items()}, DESCRIPTION: description},
        unknown=found.unknown,
        title=page.title,
        server=page.server,
        operations=len(operations),
    )


def _refuse_malformed(document: Mapping[str, Any]) -> None:
    if faults := list(islice(malformed_parts(document), _MOST_FAULTS)):
        first, *others = faults
        message = f"The description has no operation: {first}"
        raise Refusal(ErrorCode.INVALID_PAYLOAD, message, *others)


def _as_version_3(document: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    version = text_of(document.get("openapi")) or str(document.get("swagger", document.get("openapi", "")))
    if version.startswith("2"):
        return upgraded(document), True
    if not version.startswith("3"):
        message = (
            "No description of OpenAPI 3 or Swagger 2.0: it says neither `openapi: 3…` nor `swagger: 2.0`"
        )
        raise Refusal(ErrorCode.INVALID_PAYLOAD, message)
    return document, False


def _front_page(document: Mapping[str, Any], operations: list[Operation], request: BuildRequest) -> FrontPage:
    own = [absolute_server(it, request.address) for it in server_urls(document.get("servers"))]
    servers = list(dict.fromkeys(filter(None, own or [absolute_server("/", request.address)])))
    schemes = security_schemes(document)
    return FrontPage(
        document=document,
        name=request.name,
        fallback=request.fallback,
        server=request.server or next(iter(servers), ""),
        servers=servers,
        overrides=bool(request.server),
        zone="" if request.server else request.zone,
        schemes=schemes,
        security=security_of(document, schemes),
        tags=tag_pages(operations, tag_descriptions(document)),
    )


def _is_readable_json(data: bytes) -> bool:
    """Whether a description can be stored as it is: as JSON of lines that a person can read and edit."""
    return data.lstrip()[:1] == b"{" and data.count(b"\n") > len(data) // _LONGEST_LINES


def _json(document: Mapping[str, Any]) -> bytes:
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    return orjson.dumps(document, option=options)
