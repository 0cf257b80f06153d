"""A strict parser of `/exec` streams, which accepts exactly the specified bytes."""

from __future__ import annotations

import json
from typing import Any

COMMENT = ":"


def events(raw: bytes) -> list[tuple[str, Any]]:
    """Name and decoded data of every event; each is two lines and a blank one, comments apart."""
    text = raw.decode("utf-8")
    assert text.endswith("\n\n"), text[-80:]
    assert "\r" not in text
    blocks = text.removesuffix("\n\n").split("\n\n")
    return [_event(block) for block in blocks if not block.startswith(COMMENT)]


def replied(raw: bytes) -> tuple[dict[str, Any], str]:
    """Head and content of a complete stream."""
    (head_name, head), (content_name, content), last = events(raw)
    assert (head_name, content_name, last) == ("head", "content", ("done", {}))
    assert isinstance(content, str)
    return head, content


def body_of(content: str) -> str:
    """What stands below the label."""
    label, _, body = content.partition("\n")
    assert label.startswith("re: "), content
    return body


def _event(block: str) -> tuple[str, Any]:
    name, data = block.split("\n")
    assert name.startswith("event: "), block
    assert data.startswith("data: "), block
    return name.removeprefix("event: "), json.loads(data.removeprefix("data: "))
