"""Answers of OpenAI's chat completions, put together from their chunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from stringd_runs.agent_events import Text, ToolCall, Usage
from stringd_runs.model_provider import Finished, ProviderEvent
from stringd_runs.providers.thinking_events import ThinkingEvents

_REASONS = {"tool_calls": "tool-calls", "function_call": "tool-calls", "content_filter": "content-filter"}


class ChatDecoder:
    """Makes events of the chunks of one answer; calls of tools come in pieces, several at once."""

    def __init__(self) -> None:
        self._calls: list[dict[str, str]] = []
        self._open_calls: dict[Any, dict[str, str]] = {}
        self._usage = Usage()
        self._reason: str | None = None
        self._thinking = ThinkingEvents()

    def feed(self, event: Mapping[str, Any]) -> Iterator[ProviderEvent]:
        """Yield the text and the thinking of a chunk."""
        if usage := event.get("usage"):
            self._usage = Usage(
                prompt_tokens=usage.get("prompt_tokens") or 0,
                completion_tokens=usage.get("completion_tokens") or 0,
            )
        for choice in (event.get("choices") or ())[:1]:
            delta = choice.get("delta") or {}
            if thought := delta.get("reasoning_content") or delta.get("reasoning"):
                yield from self._thinking.add(thought)
            if text := delta.get("content"):
                yield from self._thinking.end()
                yield Text(text=text)
            for piece in delta.get("tool_calls") or ():
                self._add_call_piece(piece)
            self._reason = choice.get("finish_reason") or self._reason

    def finish(self) -> Iterator[ProviderEvent]:
        """Yield the calls of tools and the end, if the server has sent a reason for it."""
        if self._reason is None:
            return
        yield from self._thinking.end()
        for number, it in enumerate(self._calls, 1):
            yield ToolCall(
                id=it["id"] or f"call-{number}", name=it["name"], arguments=it["arguments"] or "{}"
            )
        reason = "tool-calls" if self._calls else _REASONS.get(self._reason, self._reason)
        yield Finished(usage=self._usage, finish_reason=reason)

    def _add_call_piece(self, piece: Mapping[str, Any]) -> None:
        """Add a piece to its call; some servers number all calls with 0, or none, but give each an id."""
        function = piece.get("function") or {}
        place = piece.get("index", 0)
        call = self._open_calls.get(place)
        if call is None or (piece.get("id") and piece["id"] != call["id"]):
            call = self._open_calls[place] = {"id": piece.get("id") or "", "name": "", "arguments": ""}
            self._calls.append(call)
        call["name"] += function.get("name") or ""
        call["arguments"] += function.get("arguments") or ""
