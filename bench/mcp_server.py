"""The MCP reference: streamable HTTP, stateless, JSON responses, one trivial tool."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mcp.server.mcpserver import MCPServer

from bench.answer import load_answer
from bench.serve import serve

if TYPE_CHECKING:
    from starlette.applications import Starlette


def app(text: str) -> Starlette:
    """Return a server whose tool `info` returns the text, without an output schema or structured copy."""
    server = MCPServer("bench", log_level="WARNING")

    @server.tool(structured_output=False)
    async def info() -> str:
        """Describe the session."""
        return text

    return server.streamable_http_app(stateless_http=True, json_response=True)


if __name__ == "__main__":
    serve(app(load_answer(Path(sys.argv[1])).body.decode("utf-8")), "mcp")
