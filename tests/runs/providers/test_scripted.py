"""The scripted provider: what it replies, in which pieces, with which tool calls and usage."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from stringd_runs.agent_events import Text, ToolCall, Usage
from stringd_runs.model_provider import Finished, ModelMessage, ProviderFailed, ToolMessage, UserMessage
from stringd_runs.providers import scripted
from tests.runs.providers.model_calls import collect, model_call, text_of

HARD_TEXTS = ("{input}", "{turn}{input}", "%s {x} {{ jinja }}", "a\u2028b\0c", "ä" * 1000, " \n ")


def reply(text: str, *, turn: int = 1, **options: Any) -> list[Any]:
    """Return what the provider streams."""
    call = model_call(text, model="echo", turn=turn, provider_options=options)
    return collect(scripted.stream(call))


@pytest.mark.requirement("runs.providers.scripted.reply")
@pytest.mark.parametrize("text", HARD_TEXTS)
def test_the_input_is_echoed_as_it_is(text: str) -> None:
    assert text_of(reply(text)) == text


@pytest.mark.requirement("runs.providers.scripted.reply")
@pytest.mark.parametrize("text", HARD_TEXTS)
def test_only_input_and_turn_are_replaced_in_one_pass(text: str) -> None:
    events = reply(text, turn=3, reply="{turn}: {input} {inputs} {{turn}} {0} %s")
    assert text_of(events) == f"3: {text} {{inputs}} {{3}} {{0}} %s"


@pytest.mark.requirement("runs.providers.scripted.chunks")
@pytest.mark.parametrize(
    ("text", "chunks", "pieces"), [("abcdefg", 3, 3), ("ab", 5, 2), ("", 2, 0), ("abc", 1, 1)]
)
def test_the_reply_comes_in_so_many_pieces_that_are_not_empty(text: str, chunks: int, pieces: int) -> None:
    events = reply(text, chunks=chunks)
    texts = [it.text for it in events if isinstance(it, Text)]
    assert len(texts) == pieces
    assert all(texts)
    assert "".join(texts) == text


@pytest.mark.requirement("runs.providers.scripted.delay")
def test_a_delay_can_be_cancelled() -> None:
    async def run() -> None:
        stream = scripted.stream(model_call("x", model="echo", provider_options={"chunkDelayMs": 3_600_000}))
        first = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first

    asyncio.run(asyncio.wait_for(run(), 10))


@pytest.mark.requirement("runs.providers.scripted.delay")
def test_a_delay_comes_before_each_piece() -> None:
    begin = time.monotonic()
    assert text_of(reply("abc", chunks=3, chunkDelayMs=20)) == "abc"
    assert time.monotonic() - begin >= 0.055


@pytest.mark.requirement("runs.providers.scripted.error")
def test_an_error_comes_after_the_pieces() -> None:
    seen: list[Any] = []

    call = model_call("abc", model="echo", provider_options={"chunks": 3, "error": "no more {input}"})
    with pytest.raises(ProviderFailed, match=r"^no more \{input\}$"):
        collect(scripted.stream(call), seen.append)
    assert text_of(seen) == "abc"


@pytest.mark.requirement("runs.providers.scripted.tools")
def test_tools_are_called_turn_by_turn_and_then_the_reply_comes() -> None:
    calls = [
        [{"name": "file", "args": {"command": "/open ä"}}, {"name": "web"}],
        [],
        [{"name": "raw", "args": "{"}],
    ]
    first, second, third, fourth = (reply("x", turn=it, toolCalls=calls) for it in range(1, 5))
    assert [(it.name, it.arguments) for it in first[:-1]] == [
        ("file", '{"command": "/open ä"}'),
        ("web", "{}"),
    ]
    assert len({it.id for it in first[:-1] + third[:-1]}) == 3
    assert first[-1].finish_reason == "tool-calls"
    assert third[0] == ToolCall(id=third[0].id, name="raw", arguments="{")
    assert text_of(second) == text_of(fourth) == "x"
    assert fourth[-1].finish_reason == "stop"


@pytest.mark.requirement("runs.providers.scripted.usage")
def test_usage_counts_the_words_that_were_sent_and_the_words_of_the_reply() -> None:
    messages = (
        UserMessage(text="one\ttwo\nthree"),
        ModelMessage(text="four", tool_calls=(ToolCall(id="1", name="x", arguments='{"a": 1}'),)),
        ToolMessage(call_id="1", name="x", output="seven eight"),
    )
    call = model_call(
        "", model="echo", messages=messages, system="You are", provider_options={"reply": "a  b c"}
    )
    assert collect(scripted.stream(call))[-1] == Finished(usage=Usage(prompt_tokens=10, completion_tokens=3))


@pytest.mark.requirement("runs.providers.scripted.deterministic")
def test_equal_input_gives_equal_events() -> None:
    options: dict[str, Any] = {"chunks": 7, "reply": "{input} {turn}", "toolCalls": [[], [{"name": "x"}]]}
    assert reply("text", **options) == reply("text", **options)
    assert reply("text", turn=2, **options) == reply("text", turn=2, **options)


@pytest.mark.requirement("runs.providers.scripted.options")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reply": 1}, "providerOptions.scripted.reply must be a text"),
        ({"chunks": 0}, "providerOptions.scripted.chunks must be a whole number from 1 to 100000"),
        ({"chunks": True}, "providerOptions.scripted.chunks must be a whole number from 1 to 100000"),
        ({"chunks": 1.5}, "providerOptions.scripted.chunks must be a whole number from 1 to 100000"),
        ({"chunkDelayMs": -1}, "providerOptions.scripted.chunkDelayMs must be a number from 0 to 3600000"),
        ({"chunkDelayMs": float("nan")}, "providerOptions.scripted.chunkDelayMs must be a number"),
        ({"chunkDelayMs": 10**400}, "providerOptions.scripted.chunkDelayMs must be a number"),
        ({"error": ["x"]}, "providerOptions.scripted.error must be a text"),
        ({"toolCalls": {"name": "x"}}, "toolCalls must have a list of"),
        ({"toolCalls": [{"name": "x"}]}, "toolCalls must have a list of"),
        ({"toolCalls": [[{"args": {}}]]}, "toolCalls must have a list of"),
        ({"toolCalls": [[{"name": "x", "arguments": {}}]]}, "toolCalls must have a list of"),
        ({"replay": "x"}, "providerOptions.scripted has no option replay: did you mean reply?"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ProviderFailed) as failed:
        scripted.check("echo", options)
    assert message in str(failed.value)


@pytest.mark.requirement("runs.providers.scripted.options")
def test_another_model_is_refused() -> None:
    with pytest.raises(ProviderFailed, match="scripted has no model parrot: use scripted/echo"):
        scripted.check("parrot", {})


def test_options_that_json_can_hold_are_taken() -> None:
    scripted.check("echo", json.loads('{"chunkDelayMs": 0.5, "error": null, "toolCalls": [[]]}'))
