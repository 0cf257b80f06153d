"""Output of subcommands."""

from __future__ import annotations

from stringd.cli.output import write_output

__all__ = [
    "write_output",
]
