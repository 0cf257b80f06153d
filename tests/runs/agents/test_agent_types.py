"""Types of agents that a plugin adds, over a real daemon."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.docs.blocks import blocks
from tests.docs.pages import text_of
from tests.runs.clients import run_client


@pytest.fixture
def counting(start_daemon: Callable[..., DaemonProcess], tmp_path: Path) -> DaemonProcess:
    """A daemon with the plugin of the reference page."""
    plugin = next(it for it in blocks(text_of("docs/reference/agents.md")) if it.kind == "file")
    path = tmp_path / plugin.detail
    path.write_text(plugin.text, encoding="utf-8")
    running = start_daemon("--plugins", str(path))
    running.register("default", running.home)
    return running


def strategy(home: Path, **config: Any) -> Path:
    """Write a strategy with one agent that counts."""
    home.mkdir(parents=True, exist_ok=True)
    path = home / "count.json"
    flow = {"name": "all", "type": "sequential", "steps": [{"agent": "count"}]}
    agents = {"count": {"type": "counter", "config": config}}
    path.write_text(json.dumps({"name": "Count", "version": "1", "agents": agents, "flow": flow}))
    return path


@pytest.mark.requirement("runs.agents.code")
def test_an_agent_of_a_plugin_answers(counting: DaemonProcess) -> None:
    with run_client(counting) as client:
        assert client.run(strategy(counting.home), "one two three")[-1]["result"] == "3 words"
        path = strategy(counting.home, unit="characters")
        assert client.run(path, "one two")[-1]["result"] == "7 characters"


@pytest.mark.requirement("runs.agents.code")
def test_a_config_that_its_type_refuses_fails_the_preparation(counting: DaemonProcess) -> None:
    with run_client(counting) as client:
        path = strategy(counting.home, unit="lines")
        refused = client.ask("prepare_run", strategyPath=str(path))
        assert refused["code"] == "PREPARE_FAILED"
        assert "unit must be words or characters" in refused["message"]
