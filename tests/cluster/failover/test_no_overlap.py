"""Programs of a node that was stopped write nothing any more once another node has the home."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.failover.conftest import Agent
from tests.processes.leased_daemon import Heart, boottime
from tests.protocol.waits import eventually

pytestmark = pytest.mark.long

SILENCE_SECONDS = 0.5
ACTION = """
```act.beat
CLI {command}
```
"""


@pytest.mark.requirement("deadman.successor")
def test_what_a_stopped_node_runs_ends_before_its_successor_begins(agent: Agent, tmp_path: Path) -> None:
    names = ("shell", "job", "orphan", "exec", "left", "cli", "mcp")
    shell, job, orphan, one_shot, left, cli, mcp = hearts = [Heart(tmp_path / it) for it in names]
    successor = Heart(tmp_path / "successor")
    (agent.home / "page.md").write_text(ACTION.format(command=cli.script), encoding="utf-8")
    assert agent(f"({job.command}) &", "bash:t").head["ok"]
    assert agent(f"(setsid {orphan.script} & )", "bash:t").head["ok"]
    assert agent(f"/exec setsid {left.script} > /dev/null & sleep 0.2", "file:left").head["ok"]
    assert agent("/open page.md", "file:cli").head["ok"]
    agent.begin(shell.command, "bash:t")
    agent.begin(f"/exec {one_shot.command}", "file:exec")
    agent.begin("/act.beat --", "file:cli")
    agent.begin(f"/install mcp --as beating -- {mcp.script}", "file:mcp")
    for it in hearts:
        it.await_beats()
    stopped, other = agent.owner, agent.other
    stopped.pause()
    refused = agent("true", "bash:t", node=other)
    assert refused.head["code"] == "TOPIC_RESTARTED"
    assert agent(f"({successor.command}) &", "bash:t", node=other).head["ok"]
    successor.await_beats()
    began = min(successor.beats())
    assert {it: max(heart.beats()) < began for it, heart in zip(names, hearts, strict=True)} == dict.fromkeys(
        names, True
    )
    counts = [len(it.beats()) for it in hearts]
    stopped.resume()
    resumed = boottime()
    assert eventually(lambda: boottime() > resumed + SILENCE_SECONDS)
    assert [len(it.beats()) for it in hearts] == counts
