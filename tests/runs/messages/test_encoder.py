"""Messages of the daemon, as they are sent."""

from __future__ import annotations

import json
import re
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stringd_runs.agent_events import (
    AgentEvent,
    AgentResult,
    ContextUsage,
    Done,
    StepStart,
    Text,
    Thinking,
    ThinkingEnd,
    ThinkingStart,
    ToolCall,
    ToolResult,
    Usage,
)
from stringd_runs.messages.daemon_replies import (
    AvailableModels,
    ErrorReply,
    ListedModel,
    Pong,
    RunErrorCode,
    RunPrepared,
    RunStatus,
    RunSummary,
    StrategyList,
)
from stringd_runs.messages.message_encoder import encode_event, encode_message
from stringd_runs.messages.run_events import (
    AgentOutput,
    AgentStreaming,
    RequestPermission,
    RunError,
    SteerQueued,
    StepCompleted,
    StrategyCompleted,
    StrategyError,
)

ENVELOPE = {"ts", "type"}


def fields(record: Any, **options: Any) -> dict[str, Any]:
    encoded = json.loads(encode_message(record, **options))
    return {name: value for name, value in encoded.items() if name not in ENVELOPE}


def event(record: AgentEvent) -> Any:
    return fields(AgentStreaming(run_id="r", agent_name="a", event=record))["event"]


@pytest.mark.requirement("runs.frames.envelope")
def test_the_envelope_of_a_reply() -> None:
    assert json.loads(encode_message(Pong(), request_id="q", at=1_795_080_600.1235)) == {
        "type": "pong",
        "requestId": "q",
        "ts": "2026-11-19T09:30:00.123Z",
    }
    assert json.loads(encode_message(Pong())).keys() == {"type", "ts"}
    assert json.loads(encode_message(Pong(), request_id=""))["requestId"] == ""


def test_the_time_of_a_message_is_now() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", json.loads(encode_message(Pong()))["ts"])


def test_the_envelope_of_an_event_has_a_number() -> None:
    encoded = encode_event(SteerQueued(run_id="r", text="t"), seq=7, request_id="q")
    assert (encoded.seq, encoded.is_piece) == (7, False)
    assert fields(SteerQueued(run_id="r", text="t"), seq=7, request_id="q") == {
        "requestId": "q",
        "seq": 7,
        "runId": "r",
        "text": "t",
    }


def test_only_pieces_of_text_may_be_left_out() -> None:
    def is_piece(record: AgentEvent) -> bool:
        return encode_event(AgentStreaming(run_id="r", agent_name="a", event=record), seq=1).is_piece

    assert is_piece(Text(text="t"))
    others = (StepStart(), Thinking(id="1", text="t"), Done(result=AgentResult(text="t")))
    assert not any(is_piece(it) for it in others)


def test_events_of_agents() -> None:
    assert event(Text(text="t")) == {"type": "text", "text": "t"}
    assert event(ThinkingStart(id="1")) == {"type": "thinking-start", "id": "1"}
    assert event(Thinking(id="1", text="t")) == {"type": "thinking", "id": "1", "text": "t"}
    assert event(ThinkingEnd(id="1")) == {"type": "thinking-end", "id": "1"}
    assert event(StepStart()) == {"type": "step-start"}
    assert event(ToolCall(id="1", name="n", arguments='{"a": 1}')) == {
        "type": "tool-call",
        "toolCallId": "1",
        "toolName": "n",
        "args": '{"a": 1}',
    }
    called = {"type": "tool-result", "toolCallId": "1", "toolName": "n"}
    completed = {**called, "output": "o", "status": "completed"}
    assert event(ToolResult(id="1", name="n", output="o")) == completed
    failed = {**called, "output": "", "status": "error", "error": ""}
    assert event(ToolResult(id="1", name="n", output="", error="")) == failed
    assert event(Done(result=AgentResult(text="t", usage=Usage(prompt_tokens=1, completion_tokens=2)))) == {
        "type": "done",
        "result": {
            "text": "t",
            "usage": {"promptTokens": 1, "completionTokens": 2},
            "finishReason": "stop",
        },
    }


def test_results_have_the_usage_of_the_context_if_it_is_known() -> None:
    result = AgentResult(text="t", context_usage=ContextUsage(tokens=3, context_window=10))
    encoded = fields(StepCompleted(run_id="r", step_name="s", result=result))
    assert encoded["result"]["contextUsage"] == {"tokens": 3, "contextWindow": 10}
    output = AgentOutput(run_id="r", agent_name="a", model="m", context_window=5, text="t", usage=Usage())
    assert fields(output) == {
        "runId": "r",
        "agentName": "a",
        "model": "m",
        "contextWindow": 5,
        "text": "t",
        "usage": {"promptTokens": 0, "completionTokens": 0},
    }


def test_ends_of_runs() -> None:
    error = RunError(code=RunErrorCode.CANCELLED, message="stopped")
    assert fields(StrategyError(run_id="r", error=error)) == {
        "runId": "r",
        "error": {"code": "CANCELLED", "message": "stopped"},
    }
    completed = StrategyCompleted(run_id="r", result="t", usage=Usage(), unused_steering=("s",))
    assert fields(completed)["unusedSteering"] == ["s"]
    assert "unusedSteering" not in fields(StrategyCompleted(run_id="r", result="t", usage=Usage()))


def test_a_request_for_permission_has_its_own_id() -> None:
    request = RequestPermission(
        run_id="r",
        request_id="own",
        agent_name="a",
        tool_name="t",
        operation="o",
        resource="f",
        reason="w",
    )
    assert fields(request, request_id="start", seq=1)["requestId"] == "own"


def test_a_prepared_run() -> None:
    tree = MappingProxyType({"name": "f", "steps": (MappingProxyType({"agent": "a"}),)})
    assert fields(RunPrepared(run_id="r", strategy_name="s", agents=("a",), flow_tree=tree)) == {
        "runId": "r",
        "strategyName": "s",
        "agents": ["a"],
        "flowTree": {"name": "f", "steps": [{"agent": "a"}]},
        "conversation": {"records": [], "retentionEvents": [], "inputs": []},
        "mcpServers": [],
    }


def test_lists() -> None:
    run = RunSummary(run_id="r", strategy_name="s", status=RunStatus.PENDING, started_at="t")
    assert fields(StrategyList(runs=[run])) == {
        "runs": [{"runId": "r", "strategyName": "s", "status": "pending", "startedAt": "t"}],
        "available": [],
    }
    assert fields(AvailableModels(models=[ListedModel(id="m", has_credentials=False, providers=["p"])])) == {
        "models": [{"id": "m", "hasCredentials": False, "providers": ["p"]}]
    }


@given(st.text(st.characters(exclude_categories=[])))
@settings(deadline=None)
def test_any_text_is_one_json_object_in_utf_8(text: str) -> None:
    encoded = encode_message(ErrorReply(code=RunErrorCode.INTERNAL_ERROR, message=text), request_id=text)
    expected = "".join("?" if "\ud800" <= it <= "\udfff" else it for it in text)
    assert json.loads(encoded.decode())["message"] == expected
    assert b"\n" not in encoded


def test_surrogates_deep_in_a_message_do_not_break_it() -> None:
    result = AgentResult(text="\ud800", context_usage=ContextUsage(tokens=1))
    tree = MappingProxyType({"\udfff": [MappingProxyType({"a": 2**70})]})
    assert fields(StepCompleted(run_id="r", step_name="s", result=result))["result"]["text"] == "?"
    prepared = RunPrepared(run_id="r", strategy_name="s", agents=(), flow_tree=tree)
    assert fields(prepared)["flowTree"] == {"?": [{"a": 2**70}]}
