"""Providers that speak OpenAI's chat completions: any server with `POST …/chat/completions`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any

from stringd.plugin import User
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
from stringd_runs.prices import cost_per_token
from stringd_runs.providers.model_server import ModelServer
from stringd_runs.providers.openai_answer import ChatDecoder
from stringd_runs.providers.provider_options import renamed_options

_SAMPLING = {
    "temperature": "temperature",
    "topP": "top_p",
    "topK": "top_k",
    "maxOutputTokens": "max_tokens",
    "seed": "seed",
    "stopSequences": "stop",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
}


def openai_provider(server: ModelServer, title: str, *, is_custom: bool = False) -> ModelProvider:
    """Return the provider of a server; one without TLS, such as a local one, needs no key."""

    async def stream(call: ModelCall) -> AsyncGenerator[ProviderEvent, None]:
        async for it in server.stream(call.user, "/chat/completions", request_body(call), ChatDecoder()):
            yield it

    def is_configured(user: User) -> bool:
        return server.url.startswith("http:") or server.find_key(user) is not None

    return ModelProvider(
        name=server.name,
        title=title,
        stream=stream,
        list_models=lambda user: server.list_models(user, "/models", _listed_model),
        credential_type=CredentialType.CUSTOM if is_custom else CredentialType.API,
        is_configured=is_configured,
        key_hint=server.key_hint,
        is_custom=is_custom,
    )


def _listed_model(entry: Mapping[str, Any]) -> Model:
    window = entry.get("context_length") or entry.get("max_model_len")
    return Model(
        id=entry["id"],
        context_window=window if isinstance(window, int) else None,
        cost=cost_per_token(entry.get("pricing")),
    )


def request_body(call: ModelCall) -> Mapping[str, Any]:
    """Return the body of a request; `providerOptions` are fields of it, and null removes a field."""
    body: dict[str, Any] = {
        "model": call.model,
        "messages": [{"role": "system", "content": call.system}] if call.system else [],
        "stream": True,
        "stream_options": {"include_usage": True},
        **renamed_options(call.options, _SAMPLING),
    }
    body["messages"] += map(_message, call.messages)
    if call.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": it.name, "description": it.description, "parameters": it.parameters},
            }
            for it in call.tools
        ]
    if call.output_schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": call.output_schema},
        }
    return {name: value for name, value in {**body, **call.provider_options}.items() if value is not None}


def _message(message: Message) -> Mapping[str, Any]:
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.output}
    if not isinstance(message, ModelMessage):
        return {"role": "user", "content": message.text}
    calls = [
        {"id": it.id, "type": "function", "function": {"name": it.name, "arguments": it.arguments}}
        for it in message.tool_calls
    ]
    return {"role": "assistant", "content": message.text or None, **({"tool_calls": calls} if calls else {})}
