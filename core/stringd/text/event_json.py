"""Events as JSON; see docs/reference/events.md."""

from __future__ import annotations

from dataclasses import fields

from stringd.api.events import Event
from stringd.text.escaping import visible_json
from stringd.text.json_bytes import dump_json

COMMON = ("at", "user_id", "topic", "request_id")


def encode_event(seq: int | None, event: Event) -> bytes:
    """Return an event as one line of JSON; raise `ValueError` if a field is not JSON."""
    own = (it.name for it in fields(event) if it.name not in COMMON)
    record = {"kind": event.kind, "seq": seq}
    try:
        names = (*COMMON, *own)
        encoded = dump_json(record | {name: getattr(event, name) for name in names})
        return visible_json(encoded.decode()).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"event {event.kind} is no JSON: {error}") from error
