"""Strategies of one scripted agent, for tests of what goes over the wire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stringd.testing.process import DaemonProcess


def write_echo(
    daemon: DaemonProcess, reply: str = "{input}", *, cycles: int = 1, name: str = "echo", **options: Any
) -> Path:
    """Write a strategy whose agent `a` replies so often, and return its path."""
    agent = {"model": "scripted/echo", "providerOptions": {"scripted": {"reply": reply, **options}}}
    flow = {"name": "f", "type": "cycle", "cycles": cycles, "steps": [{"agent": "a"}]}
    path = daemon.home / f"{name}.json"
    strategy = {"name": name, "version": "1", "agents": {"a": agent}, "flow": flow}
    path.write_text(json.dumps(strategy), encoding="utf-8")
    return path
