"""What a hundred installed MCP servers cost at the start of the daemon: nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from bench.rooms import measurement
from bench.servers import first_health
from bench.table import Row, at_most
from bench.timing import compare, milliseconds

_SERVERS = 100
_TOOLS = 30


@measurement
def start() -> Iterator[Row]:
    """Time to the first `/health` with installed servers, compared with a user who has none."""
    seen = compare(lambda: first_health(_install_servers), lambda: first_health(_add_user))
    yield at_most(
        1.1,
        seen.ratio,
        what=f"start of the daemon with {_SERVERS} installed MCP servers",
        measured=milliseconds(seen.measured),
        reference=f"without any {milliseconds(seen.reference)}",
    )


def _add_user(folder: Path) -> None:
    (folder / "home").mkdir()
    (folder / "data").mkdir(mode=0o700)
    user = {
        "id": "default",
        "home": str(folder / "home"),
        "allowedPaths": [],
        "createdAt": "2026-01-01T00:00:00Z",
    }
    (folder / "data" / "users.json").write_text(json.dumps({"users": [user]}), encoding="utf-8")


def _install_servers(folder: Path) -> None:
    _add_user(folder)
    for number in range(_SERVERS):
        package = folder / "home" / "packages" / f"server{number}"
        package.mkdir(parents=True)
        for name, text in _files(f"server{number}").items():
            (package / name).write_text(text, encoding="utf-8")


def _files(name: str) -> dict[str, str]:
    fences = (f"### tool{it}\n\n```act.tool{it}\nCALL mcp tool{it}\n```\n" for it in range(_TOOLS))
    front = f"---\nname: {name}\nnamespace: mcp\n---\n# {name}\n\n"
    server = {"mcpServers": {name: {"command": "false", "args": [], "env": {}}}}
    tools = {"protocol": "2025-06-18", "tools": [{"name": f"tool{it}"} for it in range(_TOOLS)]}
    return {
        "index.md": front + "\n".join(fences),
        "server.json": json.dumps(server),
        "tools.json": json.dumps(tools),
    }
