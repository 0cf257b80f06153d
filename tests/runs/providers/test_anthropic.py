"""The provider `anthropic`, against a server that speaks Anthropic's Messages API."""

from __future__ import annotations

from typing import Any

import pytest

from stringd_runs.agent_events import Text, Thinking, ThinkingEnd, ThinkingStart, ToolCall, Usage
from stringd_runs.model_provider import (
    Finished,
    ModelMessage,
    ProviderFailed,
    Tool,
    ToolMessage,
    UserMessage,
)
from tests.runs.providers.model_calls import text_of
from tests.runs.providers.streaming_server import KEY, Providers, events, in_pieces, streamed

MODEL = "anthropic/claude-sonnet-4-5"
PATH = "/v1/messages"
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}


def start(**usage: int) -> dict[str, Any]:
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": None,
    }
    return {
        "type": "message_start",
        "message": {**message, "usage": {"input_tokens": 10, "output_tokens": 1, **usage}},
    }


def block(index: int, content: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of a whole block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        {"type": "ping"},
        *({"type": "content_block_delta", "index": index, "delta": it} for it in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text_block(index: int, *pieces: str) -> list[dict[str, Any]]:
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": it} for it in pieces))


def tool_block(index: int, name: str, *pieces: str) -> list[dict[str, Any]]:
    content = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
    return block(index, content, *({"type": "input_json_delta", "partial_json": it} for it in pieces))


def end(reason: str = "end_turn", tokens: int = 7) -> list[dict[str, Any]]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": tokens}},
        {"type": "message_stop"},
    ]


THOUGHT = block(
    0,
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "Let me "},
    {"type": "thinking_delta", "thinking": "see."},
    {"type": "signature_delta", "signature": "EqQB+"},
    {"type": "signature_delta", "signature": "sig=="},
)
REDACTED = block(1, {"type": "redacted_thinking", "data": "EmwK"})
SIGNED = (
    {"type": "thinking", "thinking": "Let me see.", "signature": "EqQB+sig=="},
    {"type": "redacted_thinking", "data": "EmwK"},
)


@pytest.mark.requirement("runs.providers.anthropic.stream")
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_text_arrives_in_pieces_and_usage_with_the_cache_at_the_end(providers: Providers, size: int) -> None:
    usage = {"cache_creation_input_tokens": 200, "cache_read_input_tokens": 3000}
    data = events(start(**usage), *text_block(0, "Hel", "lo ä🙂"), *end(), named=True)
    providers.site.serve(PATH, lambda _: in_pieces(data, size))
    assert providers.stream(MODEL) == [
        Text(text="Hel"),
        Text(text="lo ä🙂"),
        Finished(usage=Usage(prompt_tokens=3210, completion_tokens=7)),
    ]


@pytest.mark.requirement("runs.providers.anthropic.tools")
def test_calls_of_tools_come_in_pieces_and_several_in_one_answer(providers: Providers) -> None:
    blocks = [
        *text_block(0, "I look."),
        *tool_block(1, "file", "", '{"comm', 'and": "/ls"}'),
        *tool_block(2, "now"),
    ]
    providers.site.serve(PATH, streamed(start(), *blocks, *end("tool_use"), named=True))
    assert providers.stream(MODEL) == [
        Text(text="I look."),
        ToolCall(id="toolu_1", name="file", arguments='{"command": "/ls"}'),
        ToolCall(id="toolu_2", name="now", arguments="{}"),
        Finished(usage=Usage(prompt_tokens=10, completion_tokens=7), finish_reason="tool-calls"),
    ]


@pytest.mark.requirement("runs.providers.anthropic.tools")
def test_a_call_that_was_cut_is_passed_on_as_it_is(providers: Providers) -> None:
    providers.site.serve(
        PATH, streamed(start(), *tool_block(0, "file", '{"comm'), *end("max_tokens"), named=True)
    )
    call, finished = providers.stream(MODEL)
    assert call.arguments == '{"comm'
    assert finished.finish_reason == "length"


@pytest.mark.requirement("runs.providers.anthropic.thinking")
def test_signed_thinking_is_sent_back_with_the_next_request(providers: Providers) -> None:
    blocks = [*THOUGHT, *REDACTED, *text_block(2, "I look."), *tool_block(3, "file", '{"command": "/ls"}')]
    providers.site.serve(PATH, streamed(start(), *blocks, *end("tool_use"), named=True))
    *found, finished = providers.stream(MODEL)
    assert found == [
        ThinkingStart(id="thinking-0"),
        Thinking(id="thinking-0", text="Let me "),
        Thinking(id="thinking-0", text="see."),
        ThinkingEnd(id="thinking-0"),
        Text(text="I look."),
        ToolCall(id="toolu_3", name="file", arguments='{"command": "/ls"}'),
    ]
    answered = ModelMessage(text="I look.", tool_calls=(found[-1],), provider_data=finished.provider_data)
    result = ToolMessage(call_id="toolu_3", name="file", output="a.md")
    providers.stream(MODEL, messages=(UserMessage(text="Look"), answered, result))
    assert providers.sent["messages"][1] == {
        "role": "assistant",
        "content": [
            *SIGNED,
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "toolu_3", "name": "file", "input": {"command": "/ls"}},
        ],
    }


@pytest.mark.requirement("runs.providers.anthropic.thinking")
def test_answers_without_thinking_need_no_data(providers: Providers) -> None:
    providers.site.serve(PATH, streamed(start(), *text_block(0, "Hi"), *end(), named=True))
    assert providers.stream(MODEL)[-1].provider_data is None


@pytest.mark.requirement("runs.providers.anthropic.request")
def test_the_request_has_the_conversation_the_tools_and_the_options(providers: Providers) -> None:
    providers.site.serve(PATH, streamed(start(), *text_block(0, "Hi"), *end(), named=True))
    calls = tuple(
        ToolCall(id=it, name="file", arguments=arguments) for it, arguments in (("a", '{"x": 1}'), ("b", "["))
    )
    providers.stream(
        MODEL,
        system="Be brief.",
        messages=(
            UserMessage(text="Look\u2028\0{input}"),
            ModelMessage(text="", tool_calls=calls, provider_data={"another": 1}),
            ToolMessage(call_id="a", name="file", output="nothing"),
            ToolMessage(call_id="b", name="file", output="no JSON", is_error=True),
            UserMessage(text=" "),
            ModelMessage(text=""),
            UserMessage(text="More"),
        ),
        tools=(Tool(name="file", description="Files.", parameters=SCHEMA),),
        options={"temperature": 0.5, "topK": 5, "maxOutputTokens": 99, "seed": 7, "stopSequences": ["x"]},
        provider_options={"thinking": {"type": "enabled", "budget_tokens": 1024}},
    )
    assert providers.sent == {
        "model": "claude-sonnet-4-5",
        "system": "Be brief.",
        "stream": True,
        "max_tokens": 99,
        "temperature": 0.5,
        "top_k": 5,
        "stop_sequences": ["x"],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "tools": [{"name": "file", "description": "Files.", "input_schema": SCHEMA}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Look\u2028\0{input}"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "a", "name": "file", "input": {"x": 1}},
                    {"type": "tool_use", "id": "b", "name": "file", "input": {}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": "nothing", "is_error": False},
                    {"type": "tool_result", "tool_use_id": "b", "content": "no JSON", "is_error": True},
                    {"type": "text", "text": "(no text)"},
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "(no text)"}]},
            {"role": "user", "content": [{"type": "text", "text": "More"}]},
        ],
    }
    headers = providers.site.last.headers
    assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")


@pytest.mark.requirement("runs.providers.anthropic.request")
def test_a_plain_request_has_the_fields_that_the_server_requires(providers: Providers) -> None:
    providers.site.serve(PATH, streamed(start(), *text_block(0, "Hi"), *end(), named=True))
    assert text_of(providers.stream(MODEL, "Hello")) == "Hi"
    message = {"role": "user", "content": [{"type": "text", "text": "Hello"}]}
    assert providers.sent == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 8192,
        "messages": [message],
        "stream": True,
    }


@pytest.mark.requirement("runs.providers.anthropic.stream")
def test_events_and_blocks_of_later_versions_are_left_out(providers: Providers) -> None:
    later = [
        {"type": "later_event", "x": 1},
        *block(0, {"type": "server_tool_use", "id": "s"}, {"type": "later_delta"}),
        *block(
            1,
            {"type": "text", "text": ""},
            {"type": "citations_delta", "citation": {}},
            {"type": "text_delta", "text": "ok"},
        ),
    ]
    providers.site.serve(PATH, streamed(start(), *later, *end("pause_turn"), named=True))
    *found, finished = providers.stream(MODEL)
    assert found == [Text(text="ok")]
    assert finished.finish_reason == "pause_turn"


@pytest.mark.requirement("runs.providers.faults.garbage")
@pytest.mark.parametrize(
    "garbage",
    [
        [],
        5,
        {},
        {"type": ["message_start"]},
        {"type": "message_start"},
        {"type": "message_start", "message": 5},
        {"type": "content_block_start", "index": 0},
        {"type": "content_block_start", "index": [], "content_block": {"type": "text"}},
        {"type": "content_block_start", "index": 0, "content_block": 7},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "x"}},
        {"type": "content_block_stop", "index": 9},
        {"type": "message_delta", "delta": None},
        "nonsense",
        "[" * 100_000,
    ],
    ids=lambda it: str(it)[:60],
)
def test_an_answer_of_another_shape_is_a_failure(providers: Providers, garbage: Any) -> None:
    providers.site.serve(PATH, streamed(start(), garbage, *end(), named=True))
    with pytest.raises(ProviderFailed, match=r"^anthropic has (sent|streamed) "):
        providers.stream(MODEL, options={"maxRetries": 0})


@pytest.mark.requirement("runs.providers.faults.garbage")
@pytest.mark.parametrize("delta", [{"text": 5}, {"text": None}, {}, {"text": ["x"]}], ids=str)
def test_text_that_is_none_is_a_failure(providers: Providers, delta: dict[str, Any]) -> None:
    blocks = block(0, {"type": "text", "text": ""}, {"type": "text_delta", **delta})
    providers.site.serve(PATH, streamed(start(), *blocks, *end(), named=True))
    with pytest.raises(ProviderFailed, match=r"^anthropic has sent an answer that cannot be understood"):
        providers.stream(MODEL)
