"""What an action brought back, whatever it was that it ran."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from stringd.api.zones import Zone

_JSON_BEGINS = ("{", "[", '"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of a service, a program or a function; `body` is what its JSON says, else its text.

    `data` is what came over the wire where that can't be told from the text, such as an image.
    `status` is None where none was answered over HTTP, and `uri` is empty then. `zone` is the one
    that the answer came from.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = ""
    text: str = ""
    data: bytes = b""
    media_type: str = "text/plain"
    uri: str = ""
    zone: Zone = Zone.LOOPBACK


def read_json(text: str) -> object:
    """Return what a text says as JSON, or the text when it is none."""
    if not text.lstrip().startswith(_JSON_BEGINS):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
