"""A client of an MCP server that is a program: JSON-RPC over its standard streams, and nothing more."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_PATIENCE = 60.0
_VERSION = "2025-06-18"


class StdioPeer:
    """Starts a server and calls its tools."""

    def __init__(self, command: Sequence[str], directory: Path) -> None:
        self._process = subprocess.Popen(
            command, cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._number = 0
        client = {"name": "bench", "version": "1"}
        self._ask("initialize", {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the text of its result, of failed calls as well."""
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        return "\n".join(it.get("text", "") for it in result.get("content", ()))

    def close(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()

    def _ask(self, method: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        while True:
            answer = json.loads(self._lines.get(timeout=_PATIENCE))
            if answer.get("id") == self._number and "method" not in answer:
                error = answer.get("error")
                return {"content": [{"text": str(error)}]} if error else answer["result"]

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            if line.strip():
                self._lines.put(line)
