"""The provider `scripted`: embedded and deterministic, for documentation, tests and dry runs."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from stringd_runs.agent_events import Text, ToolCall, Usage
from stringd_runs.model_provider import (
    Finished,
    Message,
    Model,
    ModelCall,
    ModelMessage,
    ModelProvider,
    ProviderEvent,
    ProviderFailed,
    ToolMessage,
    UserMessage,
)
from stringd_runs.providers.provider_options import OptionReader

MODELS = (Model(id="echo", name="Echo"),)
_MOST_CHUNKS = 100_000
_LONGEST_DELAY_MS = 3_600_000
_PLACEHOLDER = re.compile(r"\{(input|turn)\}")


class Script(Struct, frozen=True, kw_only=True):
    """The `providerOptions.scripted` of an agent."""

    reply: str
    chunks: int
    delay_seconds: float
    error: str | None
    tool_calls: Sequence[Sequence[Mapping[str, Any]]]


def read_script(options: Mapping[str, Any]) -> Script:
    """Return the script that options describe, or raise `ProviderFailed`."""
    reader = OptionReader("providerOptions.scripted", options)
    script = Script(
        reply=reader.text("reply", default="{input}"),
        chunks=reader.whole_number("chunks", default=1, least=1, most=_MOST_CHUNKS),
        delay_seconds=reader.number("chunkDelayMs", default=0, least=0, most=_LONGEST_DELAY_MS) / 1000,
        error=reader.optional_text("error"),
        tool_calls=_tool_calls(options.get("toolCalls", [])),
    )
    reader.refuse_others("toolCalls")
    return script


def check(model: str, options: Mapping[str, Any]) -> None:
    """Raise `ProviderFailed` if there is no such model, or the options are no script."""
    if model not in {it.id for it in MODELS}:
        raise ProviderFailed(f"scripted has no model {model}: use scripted/echo")
    read_script(options)


async def stream(call: ModelCall) -> AsyncGenerator[ProviderEvent, None]:
    """Stream the reply of the script in pieces, or the tool calls of this turn."""
    check(call.model, call.provider_options)
    script = read_script(call.provider_options)
    tool_calls = _calls_of_turn(script, call.turn)
    if tool_calls:
        for it in tool_calls:
            yield it
        answer = " ".join(it.arguments for it in tool_calls)
        yield Finished(usage=_usage(call, answer), finish_reason="tool-calls")
        return
    reply = _reply(script, call)
    for piece in _split(reply, script.chunks):
        await asyncio.sleep(script.delay_seconds)
        yield Text(text=piece)
    if script.error is not None:
        raise ProviderFailed(script.error)
    yield Finished(usage=_usage(call, reply))


PROVIDER = ModelProvider(name="scripted", title="Scripted", stream=stream, models=MODELS, check=check)


def _calls_of_turn(script: Script, turn: int) -> Sequence[ToolCall]:
    calls = script.tool_calls[turn - 1] if turn <= len(script.tool_calls) else ()
    return [
        ToolCall(id=f"call-{turn}-{number}", name=it["name"], arguments=_arguments(it.get("args", {})))
        for number, it in enumerate(calls, 1)
    ]


def _arguments(args: Any) -> str:
    return args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)


def _reply(script: Script, call: ModelCall) -> str:
    texts = [it.text for it in call.messages if isinstance(it, UserMessage)]
    values = {"input": texts[-1] if texts else "", "turn": str(call.turn)}
    return _PLACEHOLDER.sub(lambda found: values[found[1]], script.reply)


def _split(text: str, pieces: int) -> Iterator[str]:
    """Yield so many non-empty pieces of about equal length, or as many as there are characters."""
    pieces = min(pieces, len(text))
    for number in range(pieces):
        yield text[len(text) * number // pieces : len(text) * (number + 1) // pieces]


def _usage(call: ModelCall, answer: str) -> Usage:
    prompts = [call.system, *map(_sent_text, call.messages)]
    return Usage(
        prompt_tokens=sum(len(it.split()) for it in prompts),
        completion_tokens=len(answer.split()),
    )


def _sent_text(message: Message) -> str:
    match message:
        case UserMessage():
            return message.text
        case ModelMessage():
            return " ".join([message.text, *(it.arguments for it in message.tool_calls)])
        case ToolMessage():
            return message.output


def _tool_calls(value: Any) -> Sequence[Sequence[Mapping[str, Any]]]:
    if not isinstance(value, list | tuple) or not all(map(_is_turn, value)):
        raise ProviderFailed(
            "providerOptions.scripted.toolCalls must have a list of {name, args} for each turn"
        )
    return value


def _is_turn(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(
        isinstance(it, Mapping) and isinstance(it.get("name"), str) and it.keys() <= {"name", "args"}
        for it in value
    )
