"""MCP servers as apps: their installation, pages, calls and results."""
