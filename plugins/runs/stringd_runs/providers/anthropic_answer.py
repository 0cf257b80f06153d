"""Answers of Anthropic's Messages API, put together from their events."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from stringd_runs.agent_events import Text, Thinking, ThinkingEnd, ThinkingStart, ToolCall, Usage
from stringd_runs.model_provider import Finished, ProviderEvent

BLOCKS = "anthropic"
"""The key of the blocks of an answer in the `provider_data` of its message."""
_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool-calls",
    "refusal": "content-filter",
}
_INPUT_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_THINKING = frozenset({"thinking", "redacted_thinking"})


class MessageDecoder:
    """Makes events of those of one answer, whose blocks come in pieces."""

    def __init__(self) -> None:
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, str] = {}
        self._counts: dict[str, int] = {}
        self._reason: str | None = None

    def feed(self, event: Mapping[str, Any]) -> Iterator[ProviderEvent]:
        """Yield what an event adds; unknown events are left out."""
        handlers: Mapping[str, Callable[[Mapping[str, Any]], Iterator[ProviderEvent]]] = {
            "content_block_start": self._start_block,
            "content_block_delta": self._add_piece,
            "content_block_stop": self._end_block,
        }
        kind = event["type"]
        if kind in handlers:
            yield from handlers[kind](event)
        elif kind == "message_start":
            self._count(event["message"])
        elif kind == "message_delta":
            self._reason = event["delta"].get("stop_reason") or self._reason
            self._count(event)

    def finish(self) -> Iterator[ProviderEvent]:
        """Yield the end, if the server has sent a reason for it."""
        if self._reason is None:
            return
        blocks = [self._blocks[it] for it in sorted(self._blocks)]
        is_signed = any(it["type"] in _THINKING for it in blocks)
        yield Finished(
            usage=Usage(
                prompt_tokens=sum(self._counts.get(it, 0) for it in _INPUT_TOKENS),
                completion_tokens=self._counts.get("output_tokens", 0),
            ),
            finish_reason=_REASONS.get(self._reason, self._reason),
            provider_data={BLOCKS: blocks} if is_signed else None,
        )

    def _start_block(self, event: Mapping[str, Any]) -> Iterator[ProviderEvent]:
        index = event["index"]
        block = self._blocks[index] = dict(event["content_block"])
        if block["type"] == "thinking":
            yield ThinkingStart(id=f"thinking-{index}")
        elif block["type"] == "tool_use":
            self._inputs[index] = ""

    def _add_piece(self, event: Mapping[str, Any]) -> Iterator[ProviderEvent]:
        index, delta = event["index"], event["delta"]
        block, kind = self._blocks[index], delta["type"]
        if kind == "text_delta":
            block["text"] += delta["text"]
            yield Text(text=delta["text"])
        elif kind == "thinking_delta":
            block["thinking"] += delta["thinking"]
            yield Thinking(id=f"thinking-{index}", text=delta["thinking"])
        elif kind == "signature_delta":
            block["signature"] = block.get("signature", "") + delta["signature"]
        elif kind == "input_json_delta":
            self._inputs[index] += delta["partial_json"]

    def _end_block(self, event: Mapping[str, Any]) -> Iterator[ProviderEvent]:
        index = event["index"]
        block = self._blocks[index]
        if block["type"] == "thinking":
            yield ThinkingEnd(id=f"thinking-{index}")
        elif block["type"] == "tool_use":
            arguments = self._inputs[index] or json.dumps(block["input"])
            block["input"] = tool_input(arguments)
            yield ToolCall(id=block["id"], name=block["name"], arguments=arguments)

    def _count(self, event: Mapping[str, Any]) -> None:
        """Take the figures of tokens, which are those of the answer so far."""
        self._counts |= {
            name: count for name, count in (event.get("usage") or {}).items() if isinstance(count, int)
        }


def tool_input(arguments: str) -> Mapping[str, Any]:
    """Return the arguments of a call as the object that the server takes; empty if they are none."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}
