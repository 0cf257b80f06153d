"""The files of an installed server: how to reach it, and what it offered when it was installed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from stringd.plugin import ErrorCode, Refusal
from stringd.plugin.files import open_folder, read_regular
from stringd_mcp.connections.server_description import ServerDescription, named_servers, read_server
from stringd_mcp.connections.server_listing import ServerListing, read_listing

SERVER, TOOLS = "server.json", "tools.json"
_MOST = 64 * 1024 * 1024
_BROKEN = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


class ServerPackage(Struct, frozen=True, kw_only=True):
    """An installed server; what it offers is as it was when that was last accepted."""

    name: str
    server: ServerDescription
    listing: ServerListing

    def files(self, pages: Mapping[str, str]) -> Mapping[str, bytes]:
        """Return all files of the package with these pages."""
        config = {"mcpServers": {self.name: self.server.as_json()}}
        return {
            **{name: text.encode(errors="replace") for name, text in pages.items()},
            SERVER: _encoded(config),
            TOOLS: _encoded(self.listing.as_json()),
        }


def is_server_package(directory: Path) -> bool:
    """Return whether the app in a directory is a server."""
    return (directory / SERVER).is_file()


def read_package(directory: Path) -> ServerPackage:
    """Read the app in a directory, or refuse it; it may block."""
    try:
        with open_folder(directory, own=True) as folder:
            config = json.loads(read_regular(folder, SERVER, _MOST).data)
            stored = json.loads(read_regular(folder, TOOLS, _MOST).data)
        listing = read_listing(stored)
        entries = named_servers(config)
        name, entry = next(iter(entries.items()))
        return ServerPackage(name=name, server=read_server(entry, name), listing=listing)
    except Refusal as refusal:
        raise _broken(directory, refusal.message) from None
    except _BROKEN as error:
        raise _broken(directory, str(error) or type(error).__name__) from error


def _encoded(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode(errors="replace") + b"\n"


def _broken(directory: Path, reason: str) -> Refusal:
    name = directory.name
    message = f"app:{name} has no readable {SERVER} and {TOOLS}: {reason}"
    return Refusal(ErrorCode.INVALID_TARGET, message, f"/install --update {name} writes them again")
