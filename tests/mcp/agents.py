"""Agents of the tests: raw messages over HTTP and stdio, and the official client over both."""

from __future__ import annotations

import asyncio
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

from stringd.testing.process import DaemonProcess, HttpReply

HANDSHAKES = ("2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = "2026-07-28"
REVISIONS = (*HANDSHAKES, STATELESS)
PATIENCE = 45.0

_ACCEPT = "application/json, text/event-stream"
_STRINGD = str(Path(sys.executable).with_name("stringd"))
Message = dict[str, Any]


def opening(revision: str, capabilities: Mapping[str, Any] | None = None) -> Message:
    """Return the request that opens a connection of a revision with a handshake."""
    params = {
        "protocolVersion": revision,
        "capabilities": capabilities or {},
        "clientInfo": {"name": "tests", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


def envelope(capabilities: Mapping[str, Any] | None = None) -> Message:
    """Return what each request of the stateless revision says of its client."""
    return {
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": capabilities or {},
    }


def call(topic: str, command: str, **more: Any) -> Message:
    """Return the parameters of a call of `string`."""
    return {"name": "string", "arguments": {"topic": topic, "command": command, **more}}


class HttpAgent:
    """Sends messages to `/mcp`, as one of the revisions wants them."""

    def __init__(self, daemon: DaemonProcess, revision: str, query: str = "") -> None:
        self.daemon = daemon
        self.revision = revision
        self.path = f"/mcp{query}"
        self.session: str | None = None
        self.opened: Message = {}
        if revision != STATELESS:
            reply = self.post(opening(revision))
            self.opened = _message(reply)["result"]
            self.session = reply.headers["mcp-session-id"]
            self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, **params: Any) -> Message:
        """Send a request and return the message that answers it."""
        if self.revision == STATELESS:
            params["_meta"] = {**envelope(), **params.get("_meta", {})}
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        return _message(self.post(message))

    def post(self, message: object) -> HttpReply:
        """Send anything."""
        headers = {"content-type": "application/json", "accept": _ACCEPT, "x-user-id": "default"}
        if self.session:
            headers |= {"mcp-session-id": self.session, "mcp-protocol-version": self.revision}
        elif self.revision == STATELESS:
            headers["mcp-protocol-version"] = self.revision
            if isinstance(message, dict) and "method" in message:
                headers["mcp-method"] = message["method"]
                params = message.get("params", {})
                if name := params.get("name") or params.get("uri"):
                    headers["mcp-name"] = name
        return self.daemon.request("POST", self.path, message, headers)


def _message(reply: HttpReply) -> Message:
    """Return the last message of a response: its body, or the last event of its stream."""
    text = reply.text
    if reply.headers.get_content_type() == "text/event-stream":
        text = [line.partition(":")[2] for line in text.splitlines() if line.startswith("data: ")][-1]
    found: Message = json.loads(text)
    return found


class StdioAgent:
    """Talks to `stringd mcp`."""

    def __init__(self, daemon: DaemonProcess, *options: str, env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [_STRINGD, "--port", str(daemon.port), "mcp", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )
        self._rest = b""
        self.others: list[Message] = []

    def open(self, revision: str) -> Message:
        """Do the handshake of a revision."""
        opened = self.answer(self.send(opening(revision)))
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        result: Message = opened["result"]
        return result

    def request(self, revision: str, method: str, number: int = 7, **params: Any) -> Message:
        """Send a request and return the message that answers it."""
        return self.answer(self.ask(revision, method, number, **params))

    def ask(self, revision: str, method: str, number: int = 7, **params: Any) -> Message:
        """Send a request, and return it."""
        if revision == STATELESS:
            params["_meta"] = {**envelope(), **params.get("_meta", {})}
        return self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    def send(self, message: Message) -> Message:
        """Send a message, and return it."""
        self.write(json.dumps(message).encode() + b"\n")
        return message

    def write(self, data: bytes) -> None:
        """Send bytes."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def answer(self, message: Message) -> Message:
        """Return the answer to a request; what comes before it is kept in `others`."""
        while (found := self.receive()).get("id") != message["id"] or "method" in found:
            self.others.append(found)
        return found

    def receive(self) -> Message:
        """Return the next message."""
        assert self.process.stdout
        deadline = time.monotonic() + PATIENCE
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self.process.stdout], [], [], deadline - time.monotonic())
            data = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not data:
                raise EOFError(f"no message came: {self._rest!r}")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        found: Message = json.loads(line)
        return found

    def close(self) -> int:
        """End standard input, and return the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(PATIENCE)


@contextmanager
def stdio_agent(daemon: DaemonProcess, *options: str) -> Iterator[StdioAgent]:
    """Run `stringd mcp` within the context."""
    agent = StdioAgent(daemon, *options)
    try:
        yield agent
    finally:
        agent.process.kill()
        agent.process.wait()
        for stream in (agent.process.stdin, agent.process.stdout, agent.process.stderr):
            if stream:
                with suppress(BrokenPipeError):
                    stream.close()


@asynccontextmanager
async def official(daemon: DaemonProcess, transport: str, mode: str, **options: Any) -> AsyncIterator[Any]:
    """Connect the official client, over `http` or `stdio`."""
    from mcp.client.stdio import stdio_client

    from mcp import Client, StdioServerParameters

    server: Any = f"http://127.0.0.1:{daemon.port}/mcp"
    if transport == "stdio":
        arguments = ["--port", str(daemon.port), "mcp"]
        server = stdio_client(StdioServerParameters(command=_STRINGD, args=arguments, env=dict(os.environ)))
    async with Client(server, mode=mode, read_timeout_seconds=PATIENCE, **options) as client:
        yield client


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a scenario, for a bounded time."""
    try:
        asyncio.run(asyncio.wait_for(scenario(), PATIENCE))
    except BaseExceptionGroup as group:
        raise _first(group) from None


def _first(error: BaseException) -> BaseException:
    """Return the error in the task groups of the client."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
