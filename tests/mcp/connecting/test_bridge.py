"""`stringd mcp` when things end: standard input, the daemon, the agent."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp.agents import PATIENCE, StdioAgent, call, stdio_agent
from tests.questions.people import until

_GONE = -32000
_REVISION = "2025-11-25"


@pytest.mark.requirement("mcp.bridge.half_closed")
def test_requests_are_answered_after_the_end_of_input(daemon: DaemonProcess) -> None:
    """What was asked before the end is still answered."""
    with stdio_agent(daemon) as agent:
        agent.open(_REVISION)
        asked = agent.ask(_REVISION, "tools/call", **call("bash:h", "sleep 0.4; echo late"))
        assert agent.process.stdin
        agent.process.stdin.close()
        assert agent.answer(asked)["result"]["content"][0]["text"].endswith("late")
        assert agent.process.wait(PATIENCE) == 0


@pytest.mark.requirement("mcp.bridge.daemon_killed")
def test_killed_daemon(own_daemon: DaemonProcess) -> None:
    """Open requests get an error; the next one is served by the next daemon, without a new handshake."""
    with stdio_agent(own_daemon) as agent:
        agent.open(_REVISION)
        asked = agent.ask(_REVISION, "tools/call", **call("bash:k", "sleep 60"))
        until(lambda: _is_executing(own_daemon, "bash:k"), "the command does not begin")
        own_daemon.kill()
        assert agent.answer(asked)["error"]["code"] == _GONE
        own_daemon.start()
        result = agent.request(_REVISION, "tools/call", 8, **call("file:main", "/info"))["result"]
        assert result["isError"] is False
        assert agent.close() == 0


@pytest.mark.requirement("mcp.bridge.agent_killed")
def test_killed_agent(daemon: DaemonProcess) -> None:
    """The commands of an agent that is gone are cancelled, and the daemon goes on."""
    agent = StdioAgent(daemon)
    agent.open(_REVISION)
    agent.ask(_REVISION, "tools/call", **call("bash:g", "sleep 60"))
    until(lambda: _is_executing(daemon, "bash:g"), "the command does not begin")
    agent.process.kill()
    agent.process.communicate()
    until(lambda: not _is_executing(daemon, "bash:g"), "the command goes on")


def _is_executing(daemon: DaemonProcess, topic: str) -> bool:
    listed = daemon.request("GET", "/sessions").json()["sessions"]
    return any(it["topic"] == topic and it["executing"] for it in listed)


@pytest.mark.requirement("mcp.bridge.refused")
def test_unknown_topic_type(daemon: DaemonProcess) -> None:
    """The program ends with the daemon's reason."""
    with stdio_agent(daemon, "--topics", "file,bsh") as agent:
        assert agent.process.wait(PATIENCE) == 2
        assert agent.process.stderr
        assert b"Unknown topic type: bsh (nearest: bash)" in agent.process.stderr.read()


@pytest.mark.long
@pytest.mark.requirement("mcp.bridge.starts")
def test_daemon_is_started_with_the_home_of_the_user(
    start_daemon: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    """`--user` and `--home` register a user; without a daemon, one is started."""
    stopped = start_daemon()
    stopped.stop()
    home = tmp_path / "project"
    home.mkdir()
    env = {"HOME": str(tmp_path), "STRINGD_DATA_DIR": str(tmp_path / "data")}
    agent = StdioAgent(stopped, "--user", "ada", "--home", str(home), env=env)
    try:
        agent.open(_REVISION)
        text = agent.request(_REVISION, "tools/call", **call("bash:x", "pwd"))["result"]["content"][0]["text"]
        assert text.endswith(str(home))
        assert agent.close() == 0
    finally:
        stringd = Path(sys.executable).with_name("stringd")
        subprocess.run(
            [stringd, "--port", str(stopped.port), "shutdown"], env={**os.environ, **env}, check=True
        )
        agent.process.wait()
        for stream in (agent.process.stdout, agent.process.stderr):
            assert stream
            stream.close()
