"""Output of subcommands."""

from __future__ import annotations

from stringd.cli.standard_output import write_output

__all__ = [
    "write_output",
]
