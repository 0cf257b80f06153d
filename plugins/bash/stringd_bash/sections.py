"""Labelled parts of a reply."""

from __future__ import annotations


def section(title: str, text: str) -> str:
    """Frame text that the program of this reply did not print; return nothing for no text."""
    return f"[{title}]\n{text}\n[end of {title}]" if text else ""
