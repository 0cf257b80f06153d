"""Events of other nodes, made of what was recorded of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

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
        return kind(**{name: value for name, value in _fields(recorded).items() if name in known})
    except TypeError:
        return _lost(recorded, f"another version of stringd has published an event {recorded.kind}")


def _lost(recorded: RecordedEvent, reason: str) -> Lost:
    own = _fields(recorded)
    return Lost(**{name: own[name] for name in COMMON if name in own}, count=1, reason=reason)


def _fields(recorded: RecordedEvent) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(recorded.payload)
    return found
