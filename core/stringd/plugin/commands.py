"""Commands of the core that other topic types may reuse."""

from __future__ import annotations

from stringd.commands import close, help, info

__all__ = [
    "close",
    "help",
    "info",
]
