"""Counts with their nouns, and lines of a text."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return `1 line`, `2 lines` and so on."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"


def line_count(text: str) -> int:
    """Return the number of lines; an unterminated last line counts."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)
