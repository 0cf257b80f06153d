"""Providers that speak OpenAI's chat completions, against a server that speaks them too."""

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

MODEL = "openai-compatible/gpt-5"
PATH = "/v1/chat/completions"
USAGE = {
    "id": "c1",
    "object": "chat.completion.chunk",
    "choices": [],
    "usage": {"prompt_tokens": 12, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 8}},
}
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}


def chunk(reason: str | None = None, **delta: Any) -> dict[str, Any]:
    """Return a chunk as servers send it."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "choices": [choice], "usage": None}


def call_piece(index: int, arguments: str, **fields: Any) -> dict[str, Any]:
    function = {"arguments": arguments, **({"name": fields.pop("name")} if "name" in fields else {})}
    return {"index": index, "type": "function", "function": function, **fields}


HELLO = (
    chunk(role="assistant", content=""),
    chunk(content="Hel"),
    chunk(content="lo ä🙂"),
    chunk("stop"),
    USAGE,
    "[DONE]",
)


@pytest.mark.requirement("runs.providers.openai.stream")
def test_text_arrives_in_pieces_and_usage_at_the_end(providers: Providers) -> None:
    providers.site.serve(PATH, streamed(*HELLO))
    assert providers.stream(MODEL) == [
        Text(text="Hel"),
        Text(text="lo ä🙂"),
        Finished(usage=Usage(prompt_tokens=12, completion_tokens=7)),
    ]


@pytest.mark.requirement("runs.providers.openai.stream")
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_pieces_of_the_stream_may_be_cut_anywhere(providers: Providers, size: int) -> None:
    providers.site.serve(PATH, lambda _: in_pieces(events(*HELLO), size))
    assert text_of(providers.stream(MODEL)) == "Hello ä🙂"


@pytest.mark.requirement("runs.providers.sse")
def test_line_ends_comments_and_other_fields_of_the_stream_are_as_the_standard_says(
    providers: Providers,
) -> None:
    data = events(*HELLO).replace(b"\n", b"\r\n")
    data = b"\xef\xbb\xbf: OPENROUTER PROCESSING\r\n\r\nretry: 3\r\nid: 1\r\n\r\n" + data.replace(
        b"data: ", b"data:"
    )
    providers.site.serve(PATH, lambda _: in_pieces(data, 5))
    assert text_of(providers.stream(MODEL)) == "Hello ä🙂"


@pytest.mark.requirement("runs.providers.sse")
def test_an_event_may_be_huge(providers: Providers) -> None:
    text = "ä" * 3_000_000
    providers.site.serve(PATH, streamed(chunk(content=text), chunk("stop")))
    assert text_of(providers.stream(MODEL)) == text


@pytest.mark.long
@pytest.mark.requirement("runs.providers.sse")
def test_an_answer_may_have_a_great_many_events(providers: Providers) -> None:
    providers.site.serve(PATH, in_pieces(events(*[chunk(content="ab")] * 60_000, chunk("stop")), 170))
    assert text_of(providers.stream(MODEL)) == "ab" * 60_000


@pytest.mark.requirement("runs.providers.openai.tools")
def test_calls_of_tools_come_in_pieces_and_several_at_once(providers: Providers) -> None:
    chunks = (
        chunk(role="assistant", content=None, tool_calls=[call_piece(0, "", id="a", name="file")]),
        chunk(tool_calls=[call_piece(0, '{"comm')]),
        chunk(tool_calls=[call_piece(1, "", id="b", name="web"), call_piece(0, 'and": "/open')]),
        chunk(tool_calls=[call_piece(1, '{"command": "ä"}'), call_piece(0, ' a.md"}')]),
        chunk("tool_calls"),
        USAGE,
        "[DONE]",
    )
    providers.site.serve(PATH, streamed(*chunks))
    assert providers.stream(MODEL) == [
        ToolCall(id="a", name="file", arguments='{"command": "/open a.md"}'),
        ToolCall(id="b", name="web", arguments='{"command": "ä"}'),
        Finished(usage=Usage(prompt_tokens=12, completion_tokens=7), finish_reason="tool-calls"),
    ]


@pytest.mark.requirement("runs.providers.openai.tools")
@pytest.mark.parametrize("index", [{}, {"index": 0}], ids=["unnumbered", "all number 0"])
def test_whole_calls_without_numbers_of_their_own_are_told_apart_by_id(
    providers: Providers, index: dict[str, int]
) -> None:
    calls = [{"id": it, "function": {"name": it, "arguments": "{}"}, **index} for it in ("x", "y")]
    providers.site.serve(PATH, streamed(*(chunk(tool_calls=[it]) for it in calls), chunk("stop"), "[DONE]"))
    *found, end = providers.stream(MODEL)
    assert [it.id for it in found] == ["x", "y"]
    assert end.finish_reason == "tool-calls"


@pytest.mark.requirement("runs.providers.openai.tools")
def test_a_call_without_id_and_arguments_gets_some(providers: Providers) -> None:
    providers.site.serve(PATH, streamed(chunk(tool_calls=[{"function": {"name": "x"}}]), chunk("stop")))
    assert providers.stream(MODEL)[0] == ToolCall(id="call-1", name="x", arguments="{}")


@pytest.mark.requirement("runs.providers.openai.thinking")
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thinking_comes_before_the_text(providers: Providers, field: str) -> None:
    chunks = (chunk(**{field: "hm"}), chunk(**{field: "m"}), chunk(content="ok"), chunk("stop"))
    providers.site.serve(PATH, streamed(*chunks))
    assert providers.stream(MODEL)[:-1] == [
        ThinkingStart(id="thinking"),
        Thinking(id="thinking", text="hm"),
        Thinking(id="thinking", text="m"),
        ThinkingEnd(id="thinking"),
        Text(text="ok"),
    ]


@pytest.mark.requirement("runs.providers.openai.request")
def test_the_request_has_the_conversation_the_tools_and_the_options(providers: Providers) -> None:
    providers.site.serve(PATH, streamed(*HELLO))
    call = ToolCall(id="a", name="file", arguments='{"command": "/open a.md"}')
    providers.stream(
        MODEL,
        system="Be brief.",
        messages=(
            UserMessage(text="Look\u2028\0{input}"),
            ModelMessage(text="", tool_calls=(call,), provider_data={"anthropic": []}),
            ToolMessage(call_id="a", name="file", output="nothing", is_error=True),
            ModelMessage(text="There is nothing."),
            UserMessage(text="\ud800"),
        ),
        tools=(Tool(name="file", description="Files.", parameters=SCHEMA),),
        options={
            "temperature": 0.5,
            "topP": 0.9,
            "topK": 5,
            "maxOutputTokens": 99,
            "seed": 7,
            "maxRetries": 0,
        },
        output_schema={"type": "object"},
        provider_options={"reasoning_effort": "low", "stream_options": None},
    )
    function = {"name": "file", "description": "Files.", "parameters": SCHEMA}
    assert providers.sent == {
        "model": "gpt-5",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Look\u2028\0{input}"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "file", "arguments": call.arguments}}
                ],
            },
            {"role": "tool", "tool_call_id": "a", "content": "nothing"},
            {"role": "assistant", "content": "There is nothing."},
            {"role": "user", "content": "\ud800"},
        ],
        "stream": True,
        "tools": [{"type": "function", "function": function}],
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 5,
        "max_tokens": 99,
        "seed": 7,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": {"type": "object"}},
        },
        "reasoning_effort": "low",
    }
    assert providers.site.last.method == "POST"
    assert providers.site.last.headers["authorization"] == f"Bearer {KEY}"
    assert providers.site.last.headers["content-type"] == "application/json"


@pytest.mark.requirement("runs.providers.openai.instances")
def test_several_servers_have_names_keys_and_models_of_their_own(providers: Providers) -> None:
    providers.settings["endpoints"] = (
        f"local={providers.site.url}/local",
        f"other.one = {providers.site.url}/other/",
    )
    providers.secrets |= {"LOCAL_API_KEY": "local-key"}
    for path in ("/local/chat/completions", "/other/chat/completions"):
        providers.site.serve(path, streamed(*HELLO))
    providers.stream("local/llama3:8b", provider_options={"num_ctx": 5})
    assert providers.sent["model"] == "llama3:8b"
    assert providers.sent["num_ctx"] == 5
    assert providers.site.last.headers["authorization"] == "Bearer local-key"
    providers.stream("other.one/org/model")
    assert providers.sent["model"] == "org/model"
    assert providers.site.last.headers["authorization"] is None
    assert providers.site.paths == ["/local/chat/completions", "/other/chat/completions"]


@pytest.mark.requirement("runs.providers.openai.stream")
@pytest.mark.parametrize(
    ("sent", "shown"), [("length", "length"), ("content_filter", "content-filter"), ("eos", "eos")]
)
def test_the_reason_of_the_end_is_reported(providers: Providers, sent: str, shown: str) -> None:
    providers.site.serve(PATH, streamed(chunk(content="a"), chunk(sent)))
    assert providers.stream(MODEL)[-1].finish_reason == shown


@pytest.mark.requirement("runs.providers.faults.garbage")
@pytest.mark.parametrize(
    "garbage",
    [
        [],
        5,
        "null",
        {"choices": 5},
        {"choices": [5]},
        {"choices": [{"delta": {"content": 5}}]},
        {"choices": [{"delta": {"content": ["a"]}}]},
        {"choices": [{"delta": {"tool_calls": 5}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": [], "function": {}}]}}]},
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"name": 5}}]}}]},
        {
            "choices": [
                {
                    "delta": {"tool_calls": [{"index": 0, "id": 5, "function": {"name": "x"}}]},
                    "finish_reason": "stop",
                }
            ]
        },
        {"choices": [{"delta": {}, "finish_reason": ["stop"]}]},
        {"choices": [{"delta": {}, "finish_reason": 5}]},
        {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": "many"}},
        {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": 7},
        "not JSON",
        "{" * 100_000,
        "[" * 100_000,
        '{"a": ' + "9" * 5000 + "}",
        '{"choices": [{"delta": {"content": "cut',
    ],
    ids=lambda it: str(it)[:60],
)
def test_an_answer_of_another_shape_is_a_failure(providers: Providers, garbage: Any) -> None:
    providers.site.serve(PATH, streamed(garbage, "[DONE]"))
    with pytest.raises(ProviderFailed, match=r"^openai-compatible has (sent|streamed) |has no end"):
        providers.stream(MODEL, options={"maxRetries": 0})
