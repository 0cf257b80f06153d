"""The example agent, with a scripted server in place of the model."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess

_AGENT = Path(__file__).parents[2] / "examples" / "agent" / "agent.py"
_CALLS = (
    {"topic": "file:main", "command": "/write a.md\n# Found\n"},
    {"topic": "file:main"},
    {"topic": "bash:dev", "command": "cat a.md; exit 3"},
)


class _Model(http.server.BaseHTTPRequestHandler):
    """Answers each request with the next call, and the last one with a text."""

    seen: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        number = len(self.seen)
        self.seen.append({"path": self.path, "headers": dict(self.headers), **body})
        call = _CALLS[number] if number < len(_CALLS) else None
        answer = _openai(call, number) if "chat" in self.path else _anthropic(call, number)
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


def _openai(call: dict[str, str] | None, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "Done." if call is None else None}
    if call:
        function = {"name": "string", "arguments": json.dumps(call)}
        message["tool_calls"] = [{"id": f"c{number}", "type": "function", "function": function}]
    return {"choices": [{"message": message}]}


def _anthropic(call: dict[str, str] | None, number: int) -> dict[str, Any]:
    use = {"type": "tool_use", "id": f"c{number}", "name": "string", "input": call}
    return {"content": [use if call else {"type": "text", "text": "Done."}]}


@pytest.fixture
def model() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    seen: list[dict[str, Any]] = []
    handler = type("Model", (_Model,), {"seen": seen})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", seen
    server.shutdown()
    server.server_close()


@pytest.mark.long
@pytest.mark.parametrize("api", ["openai", "anthropic"])
@pytest.mark.requirement("agent.example")
def test_loop(daemon: DaemonProcess, model: tuple[str, list[dict[str, Any]]], api: str) -> None:
    """The calls of the model are run, their replies are sent back, and the answer is printed."""
    url, seen = model
    name = api.upper()
    env = {f"{name}_BASE_URL": url, f"{name}_API_KEY": "k", "STRINGD_PORT": str(daemon.port)}
    done = subprocess.run(
        [sys.executable, _AGENT, api, "some-model", "Find it."],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "Done.\n"), done.stderr
    assert (daemon.home / "a.md").read_text() == "# Found\n"
    assert len(seen) == 4
    said = json.dumps(seen[-1]["messages"])
    assert "Written: a.md" in said
    assert "exit: 3" in said
    assert "takes a JSON object" in said
    assert "Commands begin with `/`" in json.dumps(seen[0])
    assert "string" in json.dumps(seen[0]["tools"])


@pytest.mark.requirement("agent.example")
def test_usage() -> None:
    """Without a task, the program prints how it is called."""
    done = subprocess.run([sys.executable, _AGENT], capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, "agent.py openai MODEL TASK" in done.stderr) == (1, True)
    assert "Traceback" not in done.stderr
