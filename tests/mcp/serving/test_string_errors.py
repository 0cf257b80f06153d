"""Failures of `string`: results that say so, never an error of the protocol."""

from __future__ import annotations

from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp.agents import STATELESS, HttpAgent, call

_CASES: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({"topic": "file:a", "command": "/open nowhere.md"}, "NOT_FOUND", "nowhere.md"),
    ({"topic": "no such topic", "command": "/info"}, "INVALID_TARGET", "no such topic"),
    ({"topic": "fiel:a", "command": "/info"}, "INVALID_TARGET", "fiel:a"),
    ({"topic": "file:a"}, "INVALID_PARAMS", "`command` is missing"),
    ({"topic": "file:a", "command": "  "}, "INVALID_PARAMS", "`command` must not be empty"),
    ({"topic": 5, "command": "/info"}, "INVALID_PARAMS", "`topic` must be a string"),
    ({"topic": "file:a", "cmd": "/info"}, "INVALID_PARAMS", "unknown argument `cmd`"),
)


@pytest.mark.parametrize(("arguments", "code", "text"), _CASES)
@pytest.mark.requirement("mcp.string.errors")
def test_failures_are_results(daemon: DaemonProcess, arguments: dict[str, Any], code: str, text: str) -> None:
    """A failure has `isError`, its code, and the message that the agent can act on."""
    agent = HttpAgent(daemon, STATELESS)
    result = agent.request("tools/call", name="string", arguments=arguments)["result"]
    assert result["isError"] is True
    assert result["structuredContent"]["code"] == code
    assert result["structuredContent"]["ok"] is False
    assert text in result["content"][0]["text"]
    assert result["content"][0]["text"].startswith(f"ERROR({code}): ")


@pytest.mark.requirement("mcp.string.body")
def test_body_is_taken_literally(daemon: DaemonProcess) -> None:
    """A body becomes the lines below the command."""
    agent = HttpAgent(daemon, STATELESS)
    body = "# Title\n\n/not a command\n{nor} $a value"
    written = agent.request("tools/call", **call("file:main", "/write a.md", body=body))["result"]
    assert written["isError"] is False
    assert (daemon.home / "a.md").read_text().rstrip("\n") == body
    opened = agent.request("tools/call", **call("file:main", "/open a.md"))["result"]
    assert opened["structuredContent"]["title"] == "Title"
    assert opened["structuredContent"]["uri"] == (daemon.home / "a.md").resolve().as_uri()
