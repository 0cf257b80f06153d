"""Runs of one scripted agent that calls tools, over a real daemon and a real WebSocket."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.runs.clients import Message, RunClient

BLOCK = re.compile(
    r"[^\n]* (?P<code>[0-9a-f]{32})\.\n\[begin (?P=code)\]\n(?P<text>.*)\n\[end (?P=code)\]", re.DOTALL
)


def command(text: str, tool: str = "file") -> dict[str, Any]:
    """Return a tool call, as the scripted provider takes it."""
    return {"name": tool, "args": {"command": text}}


def write_strategy(
    home: Path, *turns: list[dict[str, Any]], tools: tuple[str, ...] = ("topic:file",), **agent: Any
) -> Path:
    """Write a strategy with one agent, which calls tools turn by turn and then echoes its input."""
    home.mkdir(parents=True, exist_ok=True)
    path = home / "worker.json"
    options = {"scripted": {"toolCalls": list(turns), "reply": "finished"}}
    strategy = {
        "name": "Work",
        "version": "1",
        "agents": {
            "worker": {
                "model": "scripted/echo",
                "tools": [f"{it}" for it in tools],
                "providerOptions": options,
                **agent,
            }
        },
        "flow": {"name": "all", "type": "sequential", "steps": [{"agent": "worker"}]},
    }
    path.write_text(json.dumps(strategy), encoding="utf-8")
    return path


def results(events: list[Message]) -> list[Message]:
    """Return the events of tool results."""
    streamed = [it["event"] for it in events if it["type"] == "agent_streaming"]
    return [it for it in streamed if it["type"] == "tool-result"]


def told(client: RunClient, run_id: str) -> list[str]:
    """Return what the model of a finished run was told by its tools, without the marks."""
    records = client.ask("prepare_run", runId=run_id)["conversation"]["records"]
    blocks = [BLOCK.fullmatch(it["text"]) for it in records if it["role"] == "tool"]
    assert all(blocks)
    return [it["text"] for it in blocks if it]


def begin(client: RunClient, path: Path) -> Message:
    """Start a run, and return what is asked first."""
    client.send("start_run", runId=client.prepare(path), input="go")
    return client.until("request_permission")[-1]


def decide(client: RunClient, asked: Message, decision: str, **more: Any) -> None:
    """Decide about a permission."""
    client.send(
        "permission_decision",
        runId=asked["runId"],
        permissionRequestId=asked["requestId"],
        decision=decision,
        **more,
    )
