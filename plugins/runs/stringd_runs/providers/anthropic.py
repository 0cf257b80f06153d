"""The provider `anthropic`: `POST /v1/messages` of Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from typing import Any

from stringd_runs.model_provider import (
    CredentialType,
    Message,
    Model,
    ModelCall,
    ModelMessage,
    ModelProvider,
    ProviderEvent,
    ToolMessage,
)
from stringd_runs.providers.anthropic_answer import BLOCKS, MessageDecoder, tool_input
from stringd_runs.providers.model_server import ModelServer
from stringd_runs.providers.provider_options import renamed_options

VERSION = "2023-06-01"
_DEFAULT_TOKENS = 8192
_SAMPLING = {
    "temperature": "temperature",
    "topP": "top_p",
    "topK": "top_k",
    "maxOutputTokens": "max_tokens",
    "stopSequences": "stop_sequences",
}
_WINDOW = 200_000
_MODELS = tuple(
    Model(id=it, context_window=_WINDOW)
    for it in ("claude-haiku-4-5", "claude-opus-4-5", "claude-sonnet-4-5")
)


def anthropic_provider(server: ModelServer) -> ModelProvider:
    """Return the provider of a server."""

    async def stream(call: ModelCall) -> AsyncGenerator[ProviderEvent, None]:
        async for it in server.stream(call.user, "/v1/messages", request_body(call), MessageDecoder()):
            yield it

    return ModelProvider(
        name=server.name,
        title="Anthropic",
        stream=stream,
        models=_MODELS,
        list_models=lambda user: server.list_models(user, "/v1/models?limit=1000", _listed_model),
        credential_type=CredentialType.API,
        is_configured=lambda user: server.find_key(user) is not None,
        key_hint=server.key_hint,
    )


def _listed_model(entry: Mapping[str, Any]) -> Model:
    return Model(id=entry["id"], name=entry.get("display_name"), context_window=_WINDOW)


def key_headers(key: str) -> Mapping[str, str]:
    """Return the headers with the key and the version of the API."""
    return {"x-api-key": key, "anthropic-version": VERSION}


def request_body(call: ModelCall) -> Mapping[str, Any]:
    """Return the body of a request; `providerOptions` are fields of it, and null removes a field."""
    body = {
        "model": call.model,
        "max_tokens": _DEFAULT_TOKENS,
        "system": call.system or None,
        "messages": list(_messages(call.messages)),
        "tools": [
            {"name": it.name, "description": it.description, "input_schema": it.parameters}
            for it in call.tools
        ]
        or None,
        "stream": True,
        **renamed_options(call.options, _SAMPLING),
        **call.provider_options,
    }
    return {name: value for name, value in body.items() if value is not None}


def _messages(messages: Iterable[Message]) -> Iterator[Mapping[str, Any]]:
    """Yield the messages; those of the user side that follow each other are one."""
    pending: list[Mapping[str, Any]] = []
    for it in messages:
        if isinstance(it, ModelMessage):
            if pending:
                yield {"role": "user", "content": pending}
            pending = []
            yield {"role": "assistant", "content": _answer_blocks(it)}
        elif isinstance(it, ToolMessage):
            pending.append(
                {
                    "type": "tool_result",
                    "tool_use_id": it.call_id,
                    "content": it.output,
                    "is_error": it.is_error,
                }
            )
        else:
            pending.append(_text_block(it.text))
    if pending:
        yield {"role": "user", "content": pending}


def _answer_blocks(message: ModelMessage) -> Sequence[Mapping[str, Any]]:
    """Return the blocks of an answer; signed thinking only counts exactly as it came."""
    data = message.provider_data
    if isinstance(data, Mapping) and BLOCKS in data:
        return data[BLOCKS]  # type: ignore[no-any-return]
    calls = [
        {"type": "tool_use", "id": it.id, "name": it.name, "input": tool_input(it.arguments)}
        for it in message.tool_calls
    ]
    return [_text_block(message.text), *calls] if message.text.strip() or not calls else calls


def _text_block(text: str) -> Mapping[str, Any]:
    """Return a block of text; the server refuses those without any."""
    return {"type": "text", "text": text if text.strip() else "(no text)"}
