"""The output and progress of a running command, for watchers."""

from __future__ import annotations

from stringd.events.output_feed import OutputFeed, current_output

__all__ = [
    "OutputFeed",
    "current_output",
]
