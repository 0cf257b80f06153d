"""The tool `execute` for agents: the same request as on the socket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.approval.daemons import write_policy
from tests.mcp.agents import STATELESS, HttpAgent

_RULES = """
rules:
  - {verdict: forbid, kind: exec, program: rm}
  - {verdict: allow, kind: exec, privileged: false}
"""


def _execute(daemon: DaemonProcess, **arguments: Any) -> dict[str, Any]:
    agent = HttpAgent(daemon, STATELESS)
    result: dict[str, Any] = agent.request("tools/call", name="execute", arguments=arguments)["result"]
    return result


@pytest.mark.requirement("mcp.execute.run", "mcp.execute.arguments")
def test_requests_of_agents(start_daemon: Callable[..., DaemonProcess]) -> None:
    """Allowed pipelines run; wrong arguments are named; nobody there to ask means denied."""
    daemon = start_daemon()
    daemon.register()
    write_policy(daemon.data_dir, _RULES)
    free: dict[str, Any] = {"privileged": False, "description": "to see"}
    ran = _execute(daemon, argv=["printf", "%s", "a|b;$HOME"], **free)
    assert ran["content"][0]["text"].endswith("\n---\na|b;$HOME")
    assert (ran["isError"], ran["structuredContent"]) == (False, {"ok": True, "code": None})
    piped = _execute(daemon, pipeline=[["seq", "3"], ["tail", "-n", "1"]], env={"LANG": "C"}, **free)
    assert piped["content"][0]["text"].endswith("\n---\n3")
    for arguments, code, text in (
        ({"argv": ["sleep", "60"], "timeout": 300, **free}, "TIMEOUT", "Stopped after 300 ms"),
        ({"argv": ["false"], **free}, "EXIT_1", "exit: 1"),
        ({"argv": ["rm", "x"], **free}, "EXEC_FAILED", "forbidden"),
        ({"argv": ["id"]}, "DENIED", "operator"),
        ({}, "INVALID_PARAMS", "either `argv` or `pipeline`"),
        ({"argv": ["id"], "pipeline": [["id"]]}, "INVALID_PARAMS", "either `argv` or `pipeline`"),
        ({"argv": "id"}, "INVALID_PARAMS", "`pipeline`"),
        ({"argv": []}, "INVALID_PARAMS", "stage 1 must not be empty"),
        ({"argv": ["id"], "privileged": "false"}, "INVALID_PARAMS", "`privileged` must be true or false"),
        ({"argv": ["id"], "forward_agent": True}, "INVALID_PARAMS", "forward_agent is only allowed"),
        ({"argv": ["id"], "timeout": True}, "INVALID_PARAMS", "`timeout` must be"),
        ({"argv": ["id"], "env": {"LD_PRELOAD": "x"}}, "INVALID_PARAMS", "LD_PRELOAD"),
        ({"argv": ["id"], "privilegd": False}, "INVALID_PARAMS", "nearest: privileged"),
        ({"argv": ["a\u202eb"]}, "INVALID_PARAMS", "forbidden character"),
    ):
        result = _execute(daemon, **arguments)
        assert result["isError"] is True, arguments
        assert result["structuredContent"]["code"] == code, result
        assert text in result["content"][0]["text"]
