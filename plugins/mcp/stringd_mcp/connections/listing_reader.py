"""Read the lists of a server, page by page, as the records that the plugin works with.

This module imports the SDK: import it only when a server is needed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from mcp import types
from stringd_mcp.connections.readable_tools import MARK
from stringd_mcp.connections.server_listing import (
    PromptArgument,
    ServerListing,
    ServerPrompt,
    ServerResource,
    ServerTool,
    distinct,
    texts,
)

_MOST_PAGES = 100
_MOST_TOOLS = 2000
_MOST_REMARKS = 10


async def fetch_listing(client: Client) -> ServerListing:
    """Return what a server offers now."""
    offers = client.server_capabilities
    tools, remarks = distinct(await _all(client.list_tools, "tools"), "name", _MOST_TOOLS)
    prompts = await _all(client.list_prompts, "prompts") if offers.prompts else []
    resources: list[Mapping[str, Any]] = []
    templates: list[Mapping[str, Any]] = []
    if offers.resources:
        resources = await _all(client.list_resources, "resources")
        # Servers without templates may not know the request.
        with suppress(MCPError):
            templates = await _all(client.list_resource_templates, "resourceTemplates")
    info = client.server_info
    return ServerListing(
        name=info.name if info else "",
        title=(info.title or "") if info else "",
        version=info.version if info else "",
        protocol=client.protocol_version,
        instructions=client.instructions or "",
        tools=tuple(map(_tool, tools)),
        prompts=tuple(map(_prompt, distinct(prompts, "name", _MOST_TOOLS)[0])),
        resources=(
            *map(_resource, distinct(resources, "uri", _MOST_TOOLS)[0]),
            *map(_resource, distinct(templates, "uriTemplate", _MOST_TOOLS)[0]),
        ),
        omissions=(*remarks, *_unchecked(tools)),
    )


async def dumped(result: Awaitable[types.Result]) -> Mapping[str, Any]:
    """Return a result as JSON."""
    return (await result).model_dump(by_alias=True, mode="json", exclude_none=True)


async def _all(list_page: Callable[..., Awaitable[types.Result]], key: str) -> list[Mapping[str, Any]]:
    """Return the entries of all pages of a list; a server that repeats a cursor is not followed."""
    found: list[Mapping[str, Any]] = []
    cursors: set[str | None] = set()
    cursor: str | None = None
    while cursor not in cursors and len(cursors) < _MOST_PAGES:
        cursors.add(cursor)
        page = await dumped(list_page(cursor=cursor))
        found += page.get(key) or []
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    return found


def _tool(entry: Mapping[str, Any]) -> ServerTool:
    schema, annotations = entry.get("inputSchema"), entry.get("annotations")
    hints = annotations if isinstance(annotations, dict) else {}
    found = texts(entry, ("name", "title", "description"))
    return ServerTool(
        **{"title": str(hints.get("title") or ""), **found},
        input_schema=schema if isinstance(schema, dict) else {},
        annotations={key: value for key, value in hints.items() if isinstance(value, bool)},
    )


def _unchecked(tools: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    names = [str(it["name"]) for it in tools if (it.get("_meta") or {}).get(MARK)]
    for name in names[:_MOST_REMARKS]:
        yield f"the input schema of {name} is not valid, so only the server checks its arguments"
    if len(names) > _MOST_REMARKS:
        yield f"so are the input schemas of {len(names) - _MOST_REMARKS} more tools"


def _prompt(entry: Mapping[str, Any]) -> ServerPrompt:
    arguments: Iterable[Mapping[str, Any]] = distinct(entry.get("arguments") or [], "name", _MOST_PAGES)[0]
    return ServerPrompt(
        **texts(entry, ("name", "title", "description")),
        arguments=tuple(
            PromptArgument(**texts(it, ("name", "description")), required=it.get("required") is True)
            for it in arguments
        ),
    )


def _resource(entry: Mapping[str, Any]) -> ServerResource:
    template = entry.get("uriTemplate")
    return ServerResource(
        uri=str(template or entry.get("uri") or ""),
        **texts(entry, ("name", "title", "description")),
        media_type=str(entry.get("mimeType") or ""),
        is_template=isinstance(template, str),
    )
