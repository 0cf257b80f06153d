"""Output for terminals: its instructions, and the text that a terminal would show."""

from __future__ import annotations

from stringd.text.line_emulator import PrintedLines
from stringd.text.terminal_sequences import (
    ALTERNATE,
    LONGEST_UNFINISHED,
    Instruction,
    controls,
    numbers,
    parse,
    plain_lines,
    private_modes,
    stripped,
    without_colours,
    without_unfinished,
)

__all__ = [
    "ALTERNATE",
    "LONGEST_UNFINISHED",
    "Instruction",
    "PrintedLines",
    "controls",
    "numbers",
    "parse",
    "plain_lines",
    "private_modes",
    "stripped",
    "without_colours",
    "without_unfinished",
]
