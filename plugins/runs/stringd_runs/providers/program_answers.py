"""What programs are given, and what they print: plain text, or JSON lines."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from typing import Any

from stringd_runs.agent_events import Text, ToolCall, Usage
from stringd_runs.model_provider import (
    Finished,
    Message,
    ModelCall,
    ModelMessage,
    ProviderEvent,
    ProviderFailed,
    ToolMessage,
    UserMessage,
)
from stringd_runs.providers.thinking_events import ThinkingEvents


class PlainText:
    """The answer is the output; a line break at its end is the program's, not the answer's."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._line_end = ""

    def feed(self, data: bytes) -> Iterator[ProviderEvent]:
        """Yield the text, but for a line break at the end."""
        text = self._line_end + self._decoder.decode(data)
        shown = text.removesuffix("\n")
        self._line_end = text[len(shown) :]
        if shown:
            yield Text(text=shown)

    def finish(self) -> Iterator[ProviderEvent]:
        """Yield what is left of an incomplete character, and the end."""
        if rest := self._decoder.decode(b"", final=True):
            yield Text(text=self._line_end + rest)
        yield Finished()


class JsonLines:
    """Each line is an event as clients of runs get them, `error` or `done`."""

    def __init__(self) -> None:
        self._unfinished: list[bytes] = []
        self._end = Finished()
        self._thinking = ThinkingEvents()

    def feed(self, data: bytes) -> Iterator[ProviderEvent]:
        """Yield the events of whole lines."""
        *ends, rest = data.split(b"\n")
        for end in ends:
            line = b"".join([*self._unfinished, end])
            self._unfinished.clear()
            yield from self._read(line)
        self._unfinished.append(rest)

    def finish(self) -> Iterator[ProviderEvent]:
        """Yield the event of a last line without a line break, and the end."""
        yield from self._read(b"".join(self._unfinished))
        yield from self._thinking.end()
        yield self._end

    def _read(self, line: bytes) -> Iterator[ProviderEvent]:
        if not line.strip():
            return
        fields = json.loads(line)
        if fields["type"] != "thinking":
            yield from self._thinking.end()
        match fields["type"]:
            case "text":
                yield Text(text=fields["text"])
            case "thinking":
                yield from self._thinking.add(fields["text"])
            case "tool-call":
                yield ToolCall(id=fields["toolCallId"], name=fields["toolName"], arguments=fields["args"])
            case "error":
                raise ProviderFailed(str(fields["message"]), is_transient=fields.get("transient") is True)
            case "done":
                usage = fields.get("usage") or {}
                self._end = Finished(
                    usage=Usage(
                        prompt_tokens=usage.get("promptTokens", 0),
                        completion_tokens=usage.get("completionTokens", 0),
                    ),
                    finish_reason=fields.get("finishReason", "stop"),
                )
            case kind:
                raise ValueError(f"there is no event {kind}")


def plain_prompt(call: ModelCall) -> str:
    """Return the text of a call; with more than one message, each says who it is from."""
    texts = [_spoken(it) for it in call.messages]
    if len(call.messages) == 1 and isinstance(call.messages[0], UserMessage):
        texts = [call.messages[0].text]
    return "\n\n".join([call.system, *texts] if call.system else texts)


def _spoken(message: Message) -> str:
    match message:
        case UserMessage():
            return f"User: {message.text}"
        case ModelMessage():
            return f"Assistant: {message.text}"
        case ToolMessage():
            return f"Tool {message.name}: {message.output}"


def json_prompt(call: ModelCall) -> str:
    """Return the line of a call, with the names that clients of runs know."""
    fields = {
        "model": call.model,
        "system": call.system,
        "messages": [_json_message(it) for it in call.messages],
        "tools": [
            {"name": it.name, "description": it.description, "parameters": it.parameters} for it in call.tools
        ],
        "modelOptions": call.options,
        "providerOptions": call.provider_options,
        "outputSchema": call.output_schema,
    }
    return json.dumps(fields) + "\n"


def _json_message(message: Message) -> Mapping[str, Any]:
    match message:
        case UserMessage():
            return {"role": "user", "text": message.text}
        case ModelMessage():
            calls = [
                {"toolCallId": it.id, "toolName": it.name, "args": it.arguments} for it in message.tool_calls
            ]
            return {"role": "assistant", "text": message.text, "toolCalls": calls}
        case ToolMessage():
            return {
                "role": "tool",
                "toolCallId": message.call_id,
                "toolName": message.name,
                "output": message.output,
                "isError": message.is_error,
            }
