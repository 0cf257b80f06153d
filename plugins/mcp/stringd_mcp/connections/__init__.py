"""Connections to MCP servers: how they are started, kept, questioned and ended."""
