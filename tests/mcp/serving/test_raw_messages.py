"""Messages that no client should send."""

from __future__ import annotations

import json
import socket
import struct
import threading

import pytest
from websockets.sync.client import connect

from stringd.testing.process import DaemonProcess
from tests.mcp.agents import STATELESS, HttpAgent, call, envelope, stdio_agent

_PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"})
_PARSE_ERROR, _INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMS = -32700, -32600, -32601, -32602


@pytest.mark.requirement("mcp.raw.stdio")
def test_bad_lines_over_stdio(daemon: DaemonProcess) -> None:
    """Each is answered with an error of JSON-RPC, and the connection goes on."""
    with stdio_agent(daemon) as agent:
        agent.open("2025-11-25")
        for line, code, identifier in (
            (b"{nonsense", _PARSE_ERROR, None),
            (b"[" * 100_000, _PARSE_ERROR, None),
            (b'"text"', _INVALID_REQUEST, None),
            (b'{"jsonrpc":"2.0","id":3}', _INVALID_REQUEST, 3),
            (b'{"jsonrpc":"2.0","id":4,"method":"no/such"}', _NO_METHOD, 4),
            (b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":5}}', _INVALID_PARAMS, 5),
            (b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":[]}', None, None),
            (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', _INVALID_REQUEST, None),
            (b"\xff\xfe\x00", _PARSE_ERROR, None),
            (b"x" * (10 * 1024 * 1024 + 1), _PARSE_ERROR, None),
        ):
            agent.write(line + b"\n")
            found = agent.receive()
            assert "error" in found, line[:50]
            if code is not None:
                assert (found["error"]["code"], found["id"]) == (code, identifier), line[:50]
        agent.write(b"\n\n")
        result = agent.request("2025-11-25", "tools/call", **call("file:main", "/info"))["result"]
        assert result["isError"] is False


@pytest.mark.requirement("mcp.raw.http")
def test_bad_bodies_over_http(daemon: DaemonProcess) -> None:
    """Each is answered with an error, and the daemon goes on."""
    agent = HttpAgent(daemon, STATELESS)
    for body in (
        b"",
        b"{",
        b"[]",
        b"[" * 200_000,
        b"\xff",
        b'"x"',
        b"1" * 5_000,
        json.dumps([envelope()]).encode(),
    ):
        reply = agent.post(body)
        assert reply.status == 400, body[:20]
        assert reply.json()["error"]["code"] in {_PARSE_ERROR, _INVALID_REQUEST}
    assert agent.post(b"x" * (10 * 1024 * 1024 + 1)).status == 413
    assert agent.request("no/such")["error"]["code"] == _NO_METHOD
    assert daemon.request("GET", "/mcp", headers={"mcp-session-id": "none"}).status in {400, 404, 406}
    assert daemon.request("GET", "/mcp/stdio").status == 400
    lone = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {**call("file:main", "/open \ud800"), "_meta": envelope()},
        }
    )
    assert agent.post(lone.encode()).status < 500
    assert agent.request("tools/call", **call("file:main", "/info"))["result"]["isError"] is False


@pytest.mark.requirement("mcp.raw.many")
def test_many_agents_at_once(daemon: DaemonProcess) -> None:
    """Each agent gets the answers to its own requests."""
    seen: dict[int, str] = {}

    def use(number: int) -> None:
        agent = HttpAgent(daemon, STATELESS if number % 2 else "2025-06-18")
        for _ in range(5):
            result = agent.request("tools/call", **call(f"file:t{number}", "/info"))["result"]
            seen[number] = result["content"][0]["text"]

    agents = [threading.Thread(target=use, args=(number,)) for number in range(24)]
    for it in agents:
        it.start()
    for it in agents:
        it.join()
    assert all(f"topic: file:t{number}\n" in text for number, text in seen.items())
    assert len(seen) == 24


@pytest.mark.requirement("mcp.raw.batch")
def test_batches_over_http(daemon: DaemonProcess) -> None:
    """Batches are served in the revision that has them, and refused in one line elsewhere."""
    agent = HttpAgent(daemon, "2025-03-26")
    listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    called = {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": call("file:main", "/info")}
    notified = {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
    reply = agent.post([listed, called, notified, 5])
    lines = [it for it in reply.text.splitlines() if it.startswith("data: ")]
    answers = {it["id"]: it for it in (json.loads(line.removeprefix("data: ")) for line in lines)}
    assert reply.status == 200
    assert answers["b"]["result"]["isError"] is False
    assert answers[1]["result"]["tools"]
    assert answers[None]["error"]["code"] == _INVALID_REQUEST
    assert agent.post([notified]).status == 202
    for revision, body in (("2025-06-18", [listed]), ("2025-03-26", [])):
        refused = HttpAgent(daemon, revision).post(body)
        assert (refused.status, refused.json()["error"]["code"]) == (400, _INVALID_REQUEST)
        assert "\n" not in refused.json()["error"]["message"]


@pytest.mark.requirement("mcp.raw.no_session")
def test_refused_requests_name_no_session(daemon: DaemonProcess) -> None:
    """A request without a session that is refused gets no id of one."""
    accepting = {"accept": "application/json, text/event-stream"}
    for method, status in (("PUT", 405), ("GET", 400)):
        reply = daemon.request(method, "/mcp", headers=accepting)
        assert (reply.status, reply.headers["mcp-session-id"]) == (status, None)


@pytest.mark.requirement("mcp.raw.killed")
def test_killed_client_is_no_error(own_daemon: DaemonProcess) -> None:
    """A client that is killed while it is answered leaves no traceback in the log."""
    for _ in range(3):
        with connect(f"ws://127.0.0.1:{own_daemon.port}/mcp/stdio?user=default", proxy=None) as client:
            for _ in range(300):
                client.send(_PING)
            reset = struct.pack("ii", 1, 0)
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            client.socket.close()
    assert HttpAgent(own_daemon, STATELESS).request("tools/list")["result"]["tools"]
    assert "Traceback" not in own_daemon.stderr()
