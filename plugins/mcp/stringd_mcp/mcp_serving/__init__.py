"""stringd as an MCP server: the SDK's server, its transports, and what it offers to agents."""
