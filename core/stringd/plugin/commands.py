"""Commands of the core that other topic types may reuse."""

from __future__ import annotations

from stringd.commands import close, info

__all__ = [
    "close",
    "info",
]
