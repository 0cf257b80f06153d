"""How a reply keeps apart what does not belong together."""

from __future__ import annotations


def section(title: str, text: str) -> str:
    """Set apart what the program of this reply did not print."""
    return f"[{title}]\n{text}\n[end of {title}]" if text else ""
