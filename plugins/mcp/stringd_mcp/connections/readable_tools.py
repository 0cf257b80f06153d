"""Lists and results of tools as the SDK accepts them: it refuses them whole for one member of the wrong type.

This module imports the SDK: import it only when a server is needed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

from mcp.client import Transport
from mcp.shared.message import SessionMessage
from mcp.types import CallToolResult
from mcp.types.jsonrpc import JSONRPCResponse

MARK = "stringd/not-valid"
"""The member of a tool's `_meta` that says what of its schema was left out."""


@asynccontextmanager
async def readable(transport: Transport) -> AsyncIterator[Any]:
    """Yield the streams of a transport, on which lists and results of tools are readable."""
    async with transport as (received, sent):
        yield _ReadableStream(received), sent


class _ReadableStream:
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    @property
    def last_context(self) -> object:
        """The context of the sender, which the SDK restores."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        return _readable_message(await self._stream.receive())

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return _readable_message(await self._stream.__anext__())

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        handled: bool | None = await self._stream.__aexit__(kind, error, traceback)
        return handled


def _readable_message(item: SessionMessage | Exception) -> SessionMessage | Exception:
    message = item.message if isinstance(item, SessionMessage) else None
    if isinstance(message, JSONRPCResponse):
        result = message.result
        if isinstance(result.get("content"), list):
            message.result = {**result, "content": [*map(readable_content, result["content"])]}
        elif isinstance(result.get("tools"), list):
            tools = [readable_tool(it) for it in result["tools"] if isinstance(it, dict)]
            message.result = {**result, "tools": [it for it in tools if isinstance(it["name"], str)]}
    return item


def readable_content(item: object) -> object:
    """Return a part of a tool's result, or a text that says that it is left out."""
    try:
        CallToolResult.model_validate({"content": [item]})
    except ValueError:
        kind = item.get("type") if isinstance(item, dict) else None
        return {"type": "text", "text": f"(Left out: a part of the type {kind!r}, which is not valid.)"}
    return item


def readable_tool(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is read of a tool, without members of the wrong type."""
    schema, is_valid = readable_schema(entry.get("inputSchema"))
    texts = {it: entry[it] for it in ("title", "description") if isinstance(entry.get(it), str)}
    mark = {} if is_valid else {"_meta": {MARK: True}}
    return {
        "name": entry.get("name"),
        **texts,
        "inputSchema": schema,
        "annotations": _hints(entry.get("annotations")),
        **mark,
    }


def readable_schema(schema: object) -> tuple[dict[str, Any], bool]:
    """Return what can be used of a tool's schema, and whether that is all of it."""
    if not isinstance(schema, dict):
        return {"type": "object"}, schema is None
    # Arguments are always an object, whether a schema says so or not.
    kept = {**schema, "type": "object"}
    is_valid = schema.get("type", "object") == "object"
    if "properties" in schema:
        given = schema["properties"]
        known = given if isinstance(given, dict) else {}
        kept["properties"] = {key: it for key, it in known.items() if isinstance(it, dict | bool)}
        is_valid = is_valid and kept["properties"] == given
    if "required" in schema:
        names = schema["required"] if isinstance(schema["required"], list) else []
        kept["required"] = [it for it in names if isinstance(it, str)]
        is_valid = is_valid and kept["required"] == schema["required"]
    return kept, is_valid


def _hints(annotations: object) -> dict[str, Any]:
    known = annotations if isinstance(annotations, dict) else {}
    texts = {key: it for key, it in known.items() if key == "title" and isinstance(it, str)}
    return {**texts, **{key: it for key, it in known.items() if key != "title" and isinstance(it, bool)}}
