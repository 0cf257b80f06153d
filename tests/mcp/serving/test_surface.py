"""What an agent is offered at its start, and what that costs."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp.agents import STATELESS, HttpAgent

_MOST = 3_000
_MOST_INSTRUCTIONS = 1_500


@pytest.mark.requirement("mcp.surface.size", "mcp.instructions")
def test_tools_and_instructions_are_small(daemon: DaemonProcess) -> None:
    """Tools and instructions together stay below 3,000 characters, also with hundreds of apps."""
    apps = daemon.home.parent / "apps"
    for number in range(40):
        folder = apps / f"weather-of-place-{number}"
        folder.mkdir(parents=True)
        (folder / "app.md").write_text(f"---\nname: weather-of-place-{number}\n---\n# Weather\n")
        assert daemon.exec(f"/install {folder} --confirm").head
    agent = HttpAgent(daemon, "2025-11-25")
    instructions = agent.opened["instructions"]
    tools = agent.request("tools/list")["result"]["tools"]
    assert [it["name"] for it in tools] == ["string", "execute"]
    assert len(instructions) <= _MOST_INSTRUCTIONS
    assert len(json.dumps(tools, ensure_ascii=False)) + len(instructions) < _MOST
    for kind in ("app", "bash", "file", "run", "web"):
        assert f"\n{kind}: " in instructions


@pytest.mark.requirement("mcp.execute.absent")
def test_no_execute_without_approval(start_daemon: Callable[..., DaemonProcess]) -> None:
    """Without the plugin that asks, nothing is offered that asks."""
    daemon = start_daemon("--without", "approval")
    daemon.register()
    agent = HttpAgent(daemon, STATELESS)
    assert [it["name"] for it in agent.request("tools/list")["result"]["tools"]] == ["string"]
    answer = agent.request("tools/call", name="execute", arguments={"argv": ["id"]})
    assert answer["error"]["message"] == "Unknown tool: execute"
