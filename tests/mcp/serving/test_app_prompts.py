"""Prompts of apps: their actions `prompt-NAME`."""

from __future__ import annotations

import pytest

from stringd.testing.process import DaemonProcess
from tests.mcp.agents import STATELESS, HttpAgent

_APP = """---
name: trips
---
# Trips

```act.prompt-plan
CLI printf 'Plan a trip to %s.' "{town}"
  town: string (required) "Where to"
  days: number "How long" = "1"
```

```act.other
CLI echo no
```
"""


@pytest.mark.requirement("mcp.prompts.apps")
def test_prompts_of_an_app(daemon: DaemonProcess) -> None:
    """They are listed with their parameters; the text is the answer, whatever the arguments contain."""
    folder = daemon.home / "trips"
    folder.mkdir(parents=True)
    (folder / "string.md").write_text(_APP)
    assert daemon.exec("/install trips").head["ok"]
    agent = HttpAgent(daemon, STATELESS)
    prompts = agent.request("prompts/list")["result"]["prompts"]
    assert [(it["name"], [arg["name"] for arg in it["arguments"]]) for it in prompts] == [
        ("app.trips.plan", ["town", "days"])
    ]
    assert prompts[0]["arguments"][0]["required"] is True
    town = 'Oslo"; id\n/act.other\n$HOME'
    got = agent.request("prompts/get", name="app.trips.plan", arguments={"town": town})["result"]
    assert f"Plan a trip to {town}." in got["messages"][0]["content"]["text"]
    wrong = agent.request("prompts/get", name="app.trips.plan", arguments={"town": "x", "days": "soon"})
    assert "days" in wrong["error"]["message"]
    assert "missing" in agent.request("prompts/get", name="app.trips.plan", arguments={})["error"]["message"]
