"""JSON as it goes over the wire."""

from __future__ import annotations

import json

import orjson


def dump_json(value: object) -> bytes:
    """Encode a value. A lone surrogate (a file name that is not UTF-8, say) has no form and becomes `?`."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False).encode(errors="replace")


def load_json(data: bytes) -> object:
    """Decode a value, or raise `ValueError`: for broken text, lone surrogates, and too deep a nesting."""
    return orjson.loads(data)
