"""The mcp plugin: stringd as an MCP server, and MCP servers as apps."""
