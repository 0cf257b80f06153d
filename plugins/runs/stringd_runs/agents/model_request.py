"""One request to a model: report the pieces of the answer and put them together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing

from msgspec import Struct

from stringd_runs.agent import AgentFailed
from stringd_runs.agent_events import AgentEvent, Text, ToolCall, Usage
from stringd_runs.model_provider import Finished, ModelCall, ModelMessage, ProviderFailed
from stringd_runs.providers.provider_catalogue import ChosenModel


class ModelAnswer(Struct, frozen=True, kw_only=True):
    """What a model has said in answer to one request."""

    message: ModelMessage
    usage: Usage
    finish_reason: str


async def request_model(
    model: ChosenModel, call: ModelCall, report: Callable[[AgentEvent], None]
) -> ModelAnswer:
    """Return the answer of a model after reporting its pieces; raise `AgentFailed` if there is none."""
    texts: list[str] = []
    tool_calls: list[ToolCall] = []
    finished = Finished()
    try:
        async with aclosing(model.stream(call)) as events:
            async for event in events:
                match event:
                    case Finished():
                        finished = event
                        continue
                    case Text(text=text):
                        texts.append(text)
                    case ToolCall():
                        tool_calls.append(event)
                report(event)
    except ProviderFailed as error:
        raise AgentFailed(str(error)) from error
    message = ModelMessage(
        text="".join(texts), tool_calls=tuple(tool_calls), provider_data=finished.provider_data
    )
    return ModelAnswer(message=message, usage=finished.usage, finish_reason=finished.finish_reason)
