"""Test kit for plugins: a real daemon on a real port, and distributions written by the test."""

from __future__ import annotations

from stringd.testing.distributions import write_distribution, write_plugin
from stringd.testing.process import DaemonProcess, Events, HttpReply, parse_events

__all__ = [
    "DaemonProcess",
    "Events",
    "HttpReply",
    "parse_events",
    "write_distribution",
    "write_plugin",
]
