"""Commands of the core that another topic type offers under its own name."""

from __future__ import annotations

from stringd.commands import close, info

__all__ = [
    "close",
    "info",
]
