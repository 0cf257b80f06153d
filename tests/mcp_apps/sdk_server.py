"""A server of the official SDK on standard streams, which speaks the latest revision."""

from __future__ import annotations

from mcp.server.mcpserver import Context, MCPServer

from mcp import types

server = MCPServer("modern", version="3", instructions="The latest.")
FORM: types.ElicitRequestedSchema = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "times": {"type": "integer"}},
    "required": ["name"],
}


@server.tool()
async def greet(context: Context) -> str | types.InputRequiredResult:
    """Greet whoever answers."""
    if not context.input_responses:
        asked = types.ElicitRequest(
            params=types.ElicitRequestFormParams(message="Who are you?", requested_schema=FORM)
        )
        return types.InputRequiredResult(input_requests={"who": asked}, request_state="state-1")
    found = context.input_responses["who"]
    return f"{context.request_state}: {found}"


@server.tool()
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.resource("notes://{name}")
def note(name: str) -> str:
    """Return a note."""
    return f"note {name}"


if __name__ == "__main__":
    server.run("stdio")
