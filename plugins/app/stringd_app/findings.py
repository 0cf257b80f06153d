"""What is told about an app's documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A warning about a line, and what to do about it."""

    line: int
    message: str
    remedy: str
