"""The output and progress of a running command, for watchers; signals of changes."""

from __future__ import annotations

from stringd.api.change_signals import ChangeSignals
from stringd.events.output_feed import OutputFeed, current_output

__all__ = [
    "ChangeSignals",
    "OutputFeed",
    "current_output",
]
