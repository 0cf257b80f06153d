"""What programs send to terminals: its instructions, and what a terminal shows of lines."""

from __future__ import annotations

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
    "controls",
    "numbers",
    "parse",
    "plain_lines",
    "private_modes",
    "stripped",
    "without_colours",
    "without_unfinished",
]
