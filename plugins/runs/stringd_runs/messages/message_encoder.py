"""Encode what the daemon sends: one JSON object in UTF-8, whatever a text contains."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import TypeAlias

import orjson
from msgspec import Struct

from stringd_runs.agent_events import (
    Done,
    StepStart,
    Text,
    Thinking,
    ThinkingEnd,
    ThinkingStart,
    ToolCall,
    ToolResult,
)
from stringd_runs.messages.daemon_replies import Reply
from stringd_runs.messages.run_events import AgentStreaming, EncodedEvent, RunEvent


def encode_message(
    record: Reply | RunEvent,
    *,
    request_id: str | None = None,
    seq: int | None = None,
    at: float | None = None,
) -> bytes:
    """Return a message with the time of sending, in seconds since 1970.

    A lone surrogate, which UTF-8 cannot express, becomes `?`.
    """
    message: dict[str, object] = {"type": record.type}
    if request_id is not None:
        message["requestId"] = request_id
    if seq is not None:
        message["seq"] = seq
    message["ts"] = timestamp(time.time() if at is None else at)
    message.update(_members(record))
    return _dump(message)


def encode_event(
    event: RunEvent, *, seq: int, request_id: str | None = None, at: float | None = None
) -> EncodedEvent:
    """Return an event as it is sent to all subscribers."""
    is_piece = isinstance(event, AgentStreaming) and isinstance(event.event, Text)
    return EncodedEvent(seq, encode_message(event, request_id=request_id, seq=seq, at=at), is_piece)


def timestamp(seconds: float) -> str:
    """Return a time as messages have it, such as `2026-11-18T09:30:00.123Z`."""
    second, milliseconds = divmod(int(seconds * 1000), 1000)
    return f"{_second(second)}.{milliseconds:03}Z"


@lru_cache(maxsize=4)
def _second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _dump(message: Mapping[str, object]) -> bytes:
    try:
        return orjson.dumps(message, default=_as_json, option=orjson.OPT_PASSTHROUGH_DATACLASS)
    except TypeError:
        text = json.dumps(message, default=_as_json, ensure_ascii=False, allow_nan=False)
        return text.encode(errors="replace")


def _as_json(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if type(value) in _AGENT_EVENTS:
        return _agent_event(value)
    if isinstance(value, Struct):
        return _members(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


_Names: TypeAlias = tuple[tuple[str, str], ...]
"""The attributes of a record, and the names of its fields in messages."""

_AGENT_EVENTS: Mapping[type, tuple[str, _Names]] = {
    Text: ("text", (("text", "text"),)),
    ThinkingStart: ("thinking-start", (("id", "id"),)),
    Thinking: ("thinking", (("id", "id"), ("text", "text"))),
    ThinkingEnd: ("thinking-end", (("id", "id"),)),
    ToolCall: ("tool-call", (("id", "toolCallId"), ("name", "toolName"), ("arguments", "args"))),
    ToolResult: (
        "tool-result",
        (("id", "toolCallId"), ("name", "toolName"), ("output", "output"), ("error", "error")),
    ),
    StepStart: ("step-start", ()),
    Done: ("done", (("result", "result"),)),
}
"""The type of each event of an agent, and its fields."""

_known_names: dict[type, _Names] = {}


def _agent_event(event: object) -> dict[str, object]:
    kind, names = _AGENT_EVENTS[type(event)]
    members: dict[str, object] = {"type": kind, **_present(event, names)}
    if isinstance(event, ToolResult):
        members["status"] = "completed" if event.error is None else "error"
    return members


def _members(record: Struct) -> dict[str, object]:
    names = _known_names.get(type(record))
    if names is None:
        names = _known_names[type(record)] = tuple((it, _camel(it)) for it in record.__struct_fields__)
    return _present(record, names)


def _present(record: object, names: _Names) -> dict[str, object]:
    """Return the fields that are not None, by their names in messages."""
    return {name: value for attribute, name in names if (value := getattr(record, attribute)) is not None}


def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)
