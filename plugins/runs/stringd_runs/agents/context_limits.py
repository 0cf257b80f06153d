"""How much of its conversation an agent sends to its model. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from stringd_runs.model_provider import Message, ModelMessage, UserMessage

CHARACTERS_PER_TOKEN = 4
"""An estimate: how texts become tokens is the model's secret."""


class ContextLimits(Struct, frozen=True, kw_only=True):
    """The most messages and tokens that are sent; None sends all."""

    most_messages: int | None = None
    most_tokens: int | None = None

    @classmethod
    def of(cls, context: Mapping[str, Any]) -> ContextLimits:
        """Return the limits of an agent's `context`."""
        return cls(most_messages=context.get("maxMessages"), most_tokens=context.get("maxTokens"))

    def first_sent(self, messages: Sequence[Message]) -> int:
        """Return the index of the oldest message to send: the first of a call, whose messages stay together.

        The latest call is sent in any case.
        """
        if self == _UNLIMITED:
            return 0
        tokens = 0
        first = len(messages)
        for sent, message in enumerate(reversed(messages), 1):
            tokens += _estimate(message)
            if isinstance(message, UserMessage):
                if first < len(messages) and not self._allow(sent, tokens):
                    break
                first = len(messages) - sent
        return first

    def _allow(self, messages: int, tokens: int) -> bool:
        return (self.most_messages is None or messages <= self.most_messages) and (
            self.most_tokens is None or tokens <= self.most_tokens
        )


_UNLIMITED = ContextLimits()


def _estimate(message: Message) -> int:
    match message:
        case UserMessage(text=text):
            size = len(text)
        case ModelMessage(text=text, tool_calls=calls):
            size = len(text) + sum(len(it.arguments) for it in calls)
        case _:
            size = len(message.output)
    return size // CHARACTERS_PER_TOKEN + 1
