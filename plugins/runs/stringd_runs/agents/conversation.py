"""The conversation of a model agent: what is remembered, stored, and sent to the model. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stringd_runs.agent_events import ToolCall
from stringd_runs.agents.context_limits import ContextLimits
from stringd_runs.model_provider import Message, ModelMessage, ToolMessage, UserMessage


class Conversation:
    """Whole calls of an agent: a call that fails or is cancelled leaves nothing behind."""

    def __init__(self, agent: str, limits: ContextLimits) -> None:
        self._agent = agent
        self._limits = limits
        self._messages: list[Message] = []
        self._records: list[Mapping[str, Any]] = []
        self._left_out = 0
        self.answers = 0
        """How often the model has answered so far."""

    def remember(self, messages: Iterable[Message]) -> None:
        """Add the messages of a call that has ended."""
        for message in messages:
            self._messages.append(message)
            self._records.append({"agentName": self._agent, **_record_of(message)})
            self.answers += isinstance(message, ModelMessage)

    def cut(self, upcoming: Message) -> int:
        """Leave out the oldest messages, as the limits demand; return how many more than before."""
        before = self._left_out
        self._left_out = max(before, self._limits.first_sent([*self._messages, upcoming]))
        return self._left_out - before

    def sent(self) -> Sequence[Message]:
        """Return the messages that precede those of the next call."""
        return self._messages[self._left_out :]

    def records(self) -> Sequence[Mapping[str, Any]]:
        """Return the messages as JSON values."""
        return self._records

    def restore(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Add the messages of records to a conversation that has not begun."""
        self.remember(map(_message_of, records))
        self._left_out = self._limits.first_sent(self._messages)


def _record_of(message: Message) -> Mapping[str, Any]:
    match message:
        case UserMessage(text=text):
            return {"role": "user", "text": text}
        case ModelMessage(text=text, tool_calls=()):
            return {"role": "assistant", "text": text}
        case ModelMessage(text=text, tool_calls=calls):
            return {"role": "assistant", "text": text, "toolCalls": [_call_record(it) for it in calls]}
        case ToolMessage():
            return {
                "role": "tool",
                "text": message.output,
                "toolCallId": message.call_id,
                "toolName": message.name,
                "isError": message.is_error,
            }


def _message_of(record: Mapping[str, Any]) -> Message:
    match record["role"]:
        case "user":
            return UserMessage(text=record["text"])
        case "assistant":
            calls = tuple(_recorded_call(it) for it in record.get("toolCalls", ()))
            return ModelMessage(text=record["text"], tool_calls=calls)
        case "tool":
            return ToolMessage(
                call_id=record["toolCallId"],
                name=record["toolName"],
                output=record["text"],
                is_error=record.get("isError", False),
            )
    raise ValueError(f"no role of a conversation: {record['role']!r}")


def _call_record(call: ToolCall) -> Mapping[str, Any]:
    return {"toolCallId": call.id, "toolName": call.name, "args": call.arguments}


def _recorded_call(record: Mapping[str, Any]) -> ToolCall:
    return ToolCall(id=record["toolCallId"], name=record["toolName"], arguments=record["args"])
