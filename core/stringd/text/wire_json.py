"""JSON on the wire: values, and events as docs/reference/events.md has them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeAlias

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
    names, values_of = _fields_of(type(event))
    record = {"kind": event.kind, "seq": seq, **dict(zip(names, values_of(event), strict=True))}
    if node:
        record["node"] = node
    try:
        encoded = dump_json(record)
        return visible_json(encoded.decode()).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"event {event.kind} is no JSON: {error}") from error


_Values: TypeAlias = Callable[[Event], tuple[Any, ...]]
_FIELDS: dict[type[Event], tuple[tuple[str, ...], _Values]] = {}


def _fields_of(kind: type[Event]) -> tuple[tuple[str, ...], _Values]:
    """Return the names of the fields of a kind, the common ones first, and what gets their values."""
    if kind not in _FIELDS:
        names = (*COMMON, *(it.name for it in fields(kind) if it.name not in COMMON))
        _FIELDS[kind] = names, attrgetter(*names)
    return _FIELDS[kind]
