"""The output and progress of a running command, for watchers; signals of changes; events of several nodes."""

from __future__ import annotations

from stringd.api.change_signals import ChangeSignals
from stringd.api.event_interfaces import EventSharing, ForeignPosition, MissedEvents, RecordedEvent
from stringd.events.output_feed import OutputFeed, current_output
from stringd.text.wire_json import encode_event

__all__ = [
    "ChangeSignals",
    "EventSharing",
    "ForeignPosition",
    "MissedEvents",
    "OutputFeed",
    "RecordedEvent",
    "current_output",
    "encode_event",
]
