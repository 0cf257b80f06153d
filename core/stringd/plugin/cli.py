"""Output of subcommands."""

from __future__ import annotations

from stringd.processes.standard_streams import write_output

__all__ = [
    "write_output",
]
