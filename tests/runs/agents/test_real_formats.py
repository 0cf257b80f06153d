"""The loop of tools with models behind servers that speak the formats of real ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from stringd.testing.process import DaemonProcess
from tests.runs.clients import run_client
from tests.runs.providers import test_anthropic as anthropic
from tests.runs.providers import test_openai_compatible as openai
from tests.runs.providers.streaming_server import KEY, one_after_the_other, streamed
from tests.runs.tools.tool_runs import results, write_strategy
from tests.web.server import Site, serving

ARGUMENTS = json.dumps({"command": "/write notes.md\nfrom a model"})
CUT = len(ARGUMENTS) // 2


@pytest.fixture
def site() -> Iterator[Site]:
    """A server of models."""
    with serving() as running:
        yield running


@pytest.fixture
def served(start_daemon: Callable[..., DaemonProcess], site: Site) -> DaemonProcess:
    """A daemon whose models are at the site."""
    env = {
        "OPENAI_API_KEY": KEY,
        "ANTHROPIC_API_KEY": KEY,
        "STRINGD_RUNS_OPENAI_URL": f"{site.url}/v1",
        "STRINGD_RUNS_ANTHROPIC_URL": site.url,
    }
    running = start_daemon(env=env)
    running.register("default", running.home)
    return running


def run(served: DaemonProcess, model: str) -> list[dict[str, Any]]:
    """Run an agent that has written a file, and return the events."""
    with run_client(served) as client:
        events = client.run(write_strategy(served.home, model=model), "go")
    assert events[-1]["type"] == "strategy_completed", events[-1]
    assert events[-1]["result"] == "Written."
    assert (served.home / "notes.md").read_text() == "from a model\n"
    assert [it["status"] for it in results(events)] == ["completed"]
    assert KEY not in json.dumps(events)
    return events


@pytest.mark.requirement("runs.agents.tools.loop")
def test_a_model_of_openai_uses_a_tool(served: DaemonProcess, site: Site) -> None:
    calls = (
        openai.chunk(tool_calls=[openai.call_piece(0, ARGUMENTS[:CUT], id="call_1", name="file")]),
        openai.chunk(tool_calls=[openai.call_piece(0, ARGUMENTS[CUT:])]),
        openai.chunk("tool_calls"),
        openai.USAGE,
        "[DONE]",
    )
    last = (openai.chunk(content="Written."), openai.chunk("stop"), openai.USAGE, "[DONE]")
    site.serve(openai.PATH, one_after_the_other(streamed(*calls), streamed(*last)))
    assert run(served, "openai-compatible/gpt-5")[-1]["usage"] == {"promptTokens": 24, "completionTokens": 14}
    sent = json.loads(site.last.body)
    assert [it["role"] for it in sent["messages"]] == ["user", "assistant", "tool"]
    assert sent["messages"][-1]["tool_call_id"] == "call_1"
    assert "\n[begin " in sent["messages"][-1]["content"]
    assert sent["tools"][0]["function"]["parameters"]["required"] == ["command"]
    assert "/write path" in sent["tools"][0]["function"]["description"]


@pytest.mark.requirement("runs.agents.tools.loop")
def test_a_model_of_anthropic_thinks_and_uses_a_tool(served: DaemonProcess, site: Site) -> None:
    blocks = (*anthropic.THOUGHT, *anthropic.tool_block(1, "file", ARGUMENTS[:CUT], ARGUMENTS[CUT:]))
    calls = (anthropic.start(), *blocks, *anthropic.end("tool_use"))
    last = (anthropic.start(), *anthropic.text_block(0, "Written."), *anthropic.end())
    replies = (streamed(*calls, named=True), streamed(*last, named=True))
    site.serve("/v1/messages", one_after_the_other(*replies))
    events = run(served, "anthropic/claude-sonnet-4-5")
    streamed_kinds = [it["event"]["type"] for it in events if it["type"] == "agent_streaming"]
    assert streamed_kinds[:5] == ["step-start", "thinking-start", "thinking", "thinking", "thinking-end"]
    sent = json.loads(site.last.body)["messages"]
    assert [it["role"] for it in sent] == ["user", "assistant", "user"]
    assert sent[1]["content"][0] == anthropic.SIGNED[0], "signed thinking goes back with its tool call"
    assert sent[2]["content"][0]["tool_use_id"] == "toolu_1"
