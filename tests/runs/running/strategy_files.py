"""Strategy files for tests, made of agents that a script or a person speaks for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeAlias

from stringd.testing.process import DaemonProcess

Agent: TypeAlias = dict[str, Any]
FOREVER_MS = 3_600_000


def echo(reply: str = "{input}", **options: Any) -> Agent:
    """Return a scripted model agent."""
    return {"model": "scripted/echo", "providerOptions": {"scripted": {"reply": reply, **options}}}


def stuck() -> Agent:
    """Return an agent that says nothing for an hour."""
    return echo("word", chunkDelayMs=FOREVER_MS)


def talkative() -> Agent:
    """Return an agent that streams a piece of text every few milliseconds, for minutes."""
    return echo("word " * 10_000, chunks=10_000, chunkDelayMs=5)


def person(description: str = "", **config: Any) -> Agent:
    """Return a person who is asked when nothing comes in."""
    return {"type": "user", "description": description, "config": config}


def sequential(*steps: str | dict[str, Any], name: str = "flow", **options: Any) -> dict[str, Any]:
    """Return a flow; its steps are names of agents, or flows."""
    listed = [{"agent": it} if isinstance(it, str) else it for it in steps]
    return {"name": name, "type": "sequential", "steps": listed, **options}


def write_strategy(
    daemon: DaemonProcess, agents: dict[str, Agent], flow: dict[str, Any] | None = None, name: str = "talk"
) -> Path:
    """Write a strategy into the home; its agents talk one after the other unless there is a flow."""
    strategy = {"name": name, "version": "1", "agents": agents, "flow": flow or sequential(*agents)}
    path = daemon.home / f"{name}.json"
    path.write_text(json.dumps(strategy), encoding="utf-8")
    return path
