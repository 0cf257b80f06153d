"""JSON on the wire: values, and events as docs/reference/events.md has them."""

from __future__ import annotations

import json
from dataclasses import fields

import orjson

from stringd.api.events import Event
from stringd.text.escaping import visible_json

COMMON = ("at", "user_id", "topic", "request_id")
"""The fields that all events have."""


def dump_json(value: object) -> bytes:
    """Encode a value; lone surrogates, such as those in file names that are not UTF-8, become `?`."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False).encode(errors="replace")


def load_json(data: bytes) -> object:
    """Decode a value; raise `ValueError` for invalid JSON, lone surrogates and excessive nesting."""
    return orjson.loads(data)


def encode_event(seq: int | None, event: Event, node: str | None = None) -> bytes:
    """Return an event, with the node if there are several, as JSON; raise `ValueError` if it can't be."""
    own = (it.name for it in fields(event) if it.name not in COMMON)
    record = {"kind": event.kind, "seq": seq}
    try:
        names = (*COMMON, *own)
        fields_of_kind = {name: getattr(event, name) for name in names}
        encoded = dump_json(record | fields_of_kind | ({"node": node} if node else {}))
        return visible_json(encoded.decode()).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"event {event.kind} is no JSON: {error}") from error
