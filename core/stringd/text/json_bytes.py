"""JSON encoding and decoding for the wire."""

from __future__ import annotations

import json

import orjson


def dump_json(value: object) -> bytes:
    """Encode a value; lone surrogates, such as those in file names that are not UTF-8, become `?`."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False).encode(errors="replace")


def load_json(data: bytes) -> object:
    """Decode a value; raise `ValueError` for invalid JSON, lone surrogates and excessive nesting."""
    return orjson.loads(data)
