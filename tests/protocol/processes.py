"""Helpers that find processes by a unique argument."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

_COUNTER = itertools.count(1)


def unique_seconds() -> str:
    """A duration of a bit over thirty seconds that no other process was given."""
    return f"30.{os.getpid():07}{next(_COUNTER):04}"


def running_with(argument: str) -> list[int]:
    """The processes that have exactly this argument."""
    found = (entry for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [int(entry.name) for entry in found if argument.encode() in _arguments(entry)]


def _arguments(process: Path) -> list[bytes]:
    try:
        return (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return []
