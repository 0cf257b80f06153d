"""What events weigh, in bytes of memory, so that those that are kept stay within a bound."""

from __future__ import annotations

from stringd.api.events import BASE_WEIGHT, Event
from stringd.text.wire_json import encode_event

MOST_EVENT_BYTES = 256 * 1024


def weight_of(event: Event) -> int:
    """Return about how much an event of the core weighs."""
    return event.weight + len(event.request_id or "")


def measured_weight(event: Event) -> int:
    """Measure the weight of a plugin's event, since its own property can't be trusted."""
    size = len(encode_event(0, event))
    if size > MOST_EVENT_BYTES:
        raise ValueError(f"event {event.kind} takes {size} bytes, more than {MOST_EVENT_BYTES}")
    return BASE_WEIGHT + size
