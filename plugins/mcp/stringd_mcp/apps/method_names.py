"""The names that the plugin registers: those of its action methods, and the usage of `/install mcp`."""

from __future__ import annotations

METHOD = "mcp"
PROMPT_METHOD = "mcp-prompt"
CONNECT_METHOD = "mcp-connect"

USAGE = (
    "/install mcp [--as name] [--env KEY=VALUE] -- command [arguments]\n"
    "/install mcp [--as name] [--env HEADER=VALUE] url\n"
    "/install mcp [--as name] [--env KEY=VALUE] --config file.json [name]"
)
