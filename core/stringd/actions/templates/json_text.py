"""How what JSON holds reads in a text."""

from __future__ import annotations

import json

from jinja2 import Undefined


def text_of(value: object) -> str:
    """Return a value as text: nothing for what is missing, JSON for objects and lists."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, Undefined):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(map(text_of, value))
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)
