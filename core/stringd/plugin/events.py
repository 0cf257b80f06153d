"""Showing those who watch what a command does while it does it."""

from __future__ import annotations

from stringd.events.output_feed import OutputFeed, current_output

__all__ = [
    "OutputFeed",
    "current_output",
]
