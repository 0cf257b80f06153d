"""The text of a question for a terminal. Pure: no I/O."""

from __future__ import annotations

from typing import Any

from stringd.cli.approve.unambiguous import unambiguous_lines

MOST_LINES = 20
_TITLE, _BODY, _DETAIL = "┃ ", "│ ", "• "
_ASKERS = {"asked_by": "asked by", "user_id": "user", "topic": "topic", "request_id": "request"}


def question_page(
    question: dict[str, Any], width: int, *, now: float = 0.0, whole: bool = False
) -> list[str]:
    """Return the lines that show a question; long ones are truncated, with the number of hidden lines."""
    lines = unambiguous_lines(question["title"], _TITLE, width)
    lines += _content(question, width)
    if len(lines) > MOST_LINES and not whole:
        lines = [*lines[:MOST_LINES], f"({len(lines) - MOST_LINES} more lines: ? shows all)"]
    for number, choice in enumerate(question["choices"], 1):
        lines += unambiguous_lines(choice, f"{number}) ", width)
    for field, shown in _ASKERS.items():
        if question[field] is not None:
            lines += unambiguous_lines(question[field], f"[{shown}] ", width)
    if question["expires"] is not None:
        ends = question["expires_at"]
        lines.append(f"[time left] {max(ends - now, 0) if ends else question['expires']:.0f} s")
    return lines


def _content(question: dict[str, Any], width: int) -> list[str]:
    body, lines = question["body"], []
    if body:
        lines += unambiguous_lines(body, _BODY, width, next_mark=_BODY)
    for name, value in question["details"].items():
        lines += unambiguous_lines(value, _DETAIL, width, name=name, next_mark=_BODY)
    return lines
