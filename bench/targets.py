"""The requests of the load: the daemon's `/info`, and an MCP tool call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.load import Target, post
from bench.servers import USER

if TYPE_CHECKING:
    from bench.answer import Answer
    from bench.servers import Server

_OK = '"ok":true'
_TOOL_OK = '"isError":false'
# The last MCP revision that begins with a handshake, and the first in which each request stands alone.
HANDSHAKE, ENVELOPE = "2025-11-25", "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": ENVELOPE,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def info(server: Server, names: list[str]) -> Target:
    """Return the target `/info` in the named topics, one per connection."""
    bodies = [{"cmd": "/info", "topic": name} for name in names]
    return Target(
        pid=server.process.pid,
        port=server.port,
        requests=tuple(post(server.port, "/exec", body, x_user_id=USER) for body in bodies),
        expect=_OK,
    )


def tool_call(server: Server, revision: str) -> Target:
    """Return a tool call to the MCP server, in the format of an MCP revision."""
    return _called(server, revision, {"name": "info", "arguments": {}})


def string_call(server: Server) -> Target:
    """Return a call of the daemon's own MCP tool, in the stateless format."""
    arguments = {"topic": "file:main", "command": "/info"}
    return _called(server, ENVELOPE, {"name": "string", "arguments": arguments})


def _called(server: Server, revision: str, called: dict[str, Any]) -> Target:
    envelope = {"_meta": _META} if revision == ENVELOPE else {}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called | envelope}
    headers = {"mcp_protocol_version": revision, "mcp_method": "tools/call", "mcp_name": called["name"]}
    text = post(server.port, "/mcp", message, accept="application/json, text/event-stream", **headers)
    return Target(pid=server.process.pid, port=server.port, requests=(text,), expect=_TOOL_OK)


def recorded(server: Server) -> Answer:
    """Record the daemon's response to `/info`, for the reference servers."""
    answer = server.call("POST", "/exec", {"cmd": "/info", "topic": "file:main"})
    if _OK.encode("ascii") not in accepted(answer).body:
        raise RuntimeError(f"/info fails: {answer}")
    return answer


def accepted(answer: Answer) -> Answer:
    """Return the response; raise if it is an error."""
    if answer.status != 200:
        raise RuntimeError(f"the daemon refuses: {answer}")
    return answer
