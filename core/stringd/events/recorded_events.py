"""Events of other nodes, made of what was recorded of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from stringd.api.event_interfaces import RecordedEvent
from stringd.api.events import Event, Lost
from stringd.text.wire_json import COMMON


def made_of(recorded: RecordedEvent, kinds: Mapping[str, type[Event]]) -> Event:
    """Return the event; a `Lost` in its place if this daemon does not know the kind, or not in this form."""
    kind = kinds.get(recorded.kind)
    if kind is None:
        return _lost(recorded, f"this node has no plugin that adds events {recorded.kind}")
    known = {it.name for it in fields(kind)}
    try:
        return kind(**{name: value for name, value in recorded.fields.items() if name in known})
    except TypeError:
        return _lost(recorded, f"another version of stringd has published an event {recorded.kind}")


def _lost(recorded: RecordedEvent, reason: str) -> Lost:
    common = {name: recorded.fields[name] for name in COMMON if name in recorded.fields}
    return Lost(**common, count=1, reason=reason)
