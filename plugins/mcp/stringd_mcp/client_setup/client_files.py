"""The programs that run agents, and how each is told of an MCP server."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from stringd_mcp.client_setup.json_edit import parse_json, with_json_entry
from stringd_mcp.client_setup.toml_edit import parse_toml, with_toml_entry
from stringd_mcp.client_setup.yaml_edit import parse_yaml, with_yaml_entry

Entry: TypeAlias = Mapping[str, Any]


class FileFormat(Struct, frozen=True, kw_only=True):
    """A format of files: how one is read, and how an entry at a path of names is set."""

    parse: Callable[[str], Any]
    with_entry: Callable[[str, Sequence[str], Entry], str]


class AgentClient(Struct, frozen=True, kw_only=True):
    """A program that runs agents: its file, and the entry of a server that is a command line."""

    title: str
    file: Callable[[], Path]
    section: str
    entry: Callable[[str, str, Sequence[str]], Entry]
    format: FileFormat


_JSON = FileFormat(parse=parse_json, with_entry=with_json_entry)
_TOML = FileFormat(parse=parse_toml, with_entry=with_toml_entry)
_YAML = FileFormat(parse=parse_yaml, with_entry=with_yaml_entry)


def _home(*parts: str) -> Path:
    return Path.home().joinpath(*parts)


def _config(*parts: str) -> Path:
    """Return a file in the folder of configurations of this system."""
    if sys.platform == "darwin":
        return _home("Library", "Application Support", *parts)
    return _xdg(*parts)


def _xdg(*parts: str) -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or _home(".config")).joinpath(*parts)


def _plain(name: str, command: str, arguments: Sequence[str]) -> Entry:
    return {"command": command, "args": list(arguments)}


def _typed(name: str, command: str, arguments: Sequence[str]) -> Entry:
    return {"type": "stdio", **_plain(name, command, arguments)}


def _zed(name: str, command: str, arguments: Sequence[str]) -> Entry:
    return {"source": "custom", **_plain(name, command, arguments), "env": {}}


def _goose(name: str, command: str, arguments: Sequence[str]) -> Entry:
    return {
        "name": name,
        "type": "stdio",
        "enabled": True,
        "cmd": command,
        "args": list(arguments),
        "envs": {},
        "timeout": 300,
    }


CLIENTS: Mapping[str, AgentClient] = {
    "claude-code": AgentClient(
        title="Claude Code",
        file=lambda: _home(".claude.json"),
        section="mcpServers",
        entry=_typed,
        format=_JSON,
    ),
    "claude-desktop": AgentClient(
        title="Claude Desktop",
        file=lambda: _config("Claude", "claude_desktop_config.json"),
        section="mcpServers",
        entry=_plain,
        format=_JSON,
    ),
    "cursor": AgentClient(
        title="Cursor",
        file=lambda: _home(".cursor", "mcp.json"),
        section="mcpServers",
        entry=_plain,
        format=_JSON,
    ),
    "vscode": AgentClient(
        title="VS Code",
        file=lambda: _config("Code", "User", "mcp.json"),
        section="servers",
        entry=_typed,
        format=_JSON,
    ),
    "codex": AgentClient(
        title="Codex",
        file=lambda: Path(os.environ.get("CODEX_HOME") or _home(".codex")) / "config.toml",
        section="mcp_servers",
        entry=_plain,
        format=_TOML,
    ),
    "gemini-cli": AgentClient(
        title="Gemini CLI",
        file=lambda: _home(".gemini", "settings.json"),
        section="mcpServers",
        entry=_plain,
        format=_JSON,
    ),
    "zed": AgentClient(
        title="Zed",
        file=lambda: _xdg("zed", "settings.json"),
        section="context_servers",
        entry=_zed,
        format=_JSON,
    ),
    "goose": AgentClient(
        title="goose",
        file=lambda: _xdg("goose", "config.yaml"),
        section="extensions",
        entry=_goose,
        format=_YAML,
    ),
}
