"""All revisions of MCP, over streamable HTTP and stdio."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp.agents import HANDSHAKES, REVISIONS, STATELESS, HttpAgent, call, envelope, stdio_agent


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.requirement("mcp.http.revisions", "mcp.string.text", "mcp.string.structured")
def test_string_over_http(daemon: DaemonProcess, revision: str) -> None:
    """Each revision gets the text of a reply without its `re:` line, and its fields."""
    agent = HttpAgent(daemon, revision)
    result = agent.request("tools/call", **call("file:main", '/set {a} = "1"'))["result"]
    assert result["content"] == [{"type": "text", "text": '{a} = "1"'}]
    assert result["isError"] is False
    structured = {"topic": "file:main", "uri": None, "title": None, "kind": "confirmation"}
    if revision != "2025-03-26":
        assert result["structuredContent"] == {"ok": True, "code": None, **structured}
    if revision in HANDSHAKES:
        assert agent.opened["protocolVersion"] == revision


@pytest.mark.requirement("mcp.http.stateless")
def test_stateless_revision_needs_no_session(daemon: DaemonProcess) -> None:
    """No handshake comes first, and no session header is sent back."""
    agent = HttpAgent(daemon, STATELESS)
    reply = agent.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": envelope()}})
    assert reply.status == 200
    assert "mcp-session-id" not in reply.headers
    assert [it["name"] for it in reply.json()["result"]["tools"]] == ["string", "execute"]


_LONG = pytest.mark.long


@pytest.mark.parametrize(
    "revision", [pytest.param(it, marks=_LONG if it in HANDSHAKES[1:] else ()) for it in REVISIONS]
)
@pytest.mark.requirement("mcp.stdio.revisions")
def test_string_over_stdio(daemon: DaemonProcess, revision: str) -> None:
    """Each revision works over stdio; the stateless one without a handshake."""
    with stdio_agent(daemon) as agent:
        if revision in HANDSHAKES:
            assert agent.open(revision)["protocolVersion"] == revision
        result = agent.request(revision, "tools/call", **call("bash:x", "echo $((6 * 7))"))["result"]
        assert result["content"][0]["text"].endswith("\n---\n42")
        assert agent.close() == 0


@pytest.mark.requirement("mcp.http.guard")
@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Host": "evil.example"}])
def test_foreign_pages_are_refused(daemon: DaemonProcess, headers: dict[str, str]) -> None:
    """The guard of the daemon protects `/mcp` too."""
    reply = daemon.request("POST", "/mcp", "{}", {"content-type": "application/json", **headers})
    assert reply.status in {403, 421}


@pytest.mark.requirement("mcp.http.user")
def test_user_of_an_agent(daemon: DaemonProcess) -> None:
    """The query or a header names the user; an unknown one is refused with the way out."""
    daemon.register("ada")
    agent = HttpAgent(daemon, STATELESS, "?user=ada")
    info = agent.request("tools/call", **call("file:main", "/info"))["result"]["content"][0]["text"]
    assert "user: ada" in info
    unknown = HttpAgent(daemon, STATELESS, "?user=bob")
    reply = unknown.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert reply.status == 401
    assert "bob" in reply.text


@pytest.mark.requirement("mcp.topics")
def test_only_chosen_topic_types(daemon: DaemonProcess) -> None:
    """An agent that is offered some types gets no others; an unknown one is refused by name."""
    agent = HttpAgent(daemon, "2025-11-25", "?topics=file,web")
    assert "bash:" not in agent.opened["instructions"]
    refused = agent.request("tools/call", **call("bash:x", "id"))["result"]
    assert refused["isError"] is True
    assert refused["structuredContent"]["code"] == "INVALID_TARGET"
    assert agent.request("tools/call", **call("file:x", "/info"))["result"]["isError"] is False
    reply = daemon.request("POST", "/mcp?topics=flie", "{}", {"content-type": "application/json"})
    assert (reply.status, reply.json()["error"]) == (400, "Unknown topic type: flie (nearest: file)")
    assert daemon.request("POST", f"/mcp?{'a=1&' * 50}", "{}").status == 400
