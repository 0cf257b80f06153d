"""Memory of a process, as accounted by the kernel."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """KiB resident (private and file pages) and KiB proportional (shared pages divided among their users)."""

    resident: int
    proportional: int | None

    def __str__(self) -> str:
        shared = "" if self.proportional is None else f" (Pss {self.proportional / 1024:.1f})"
        return f"{self.resident / 1024:.1f} MiB{shared}"


def memory_of(pid: int) -> Memory:
    """Return the memory of a process; the proportional figure is missing without smaps_rollup."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    rollup = Path(f"/proc/{pid}/smaps_rollup")
    return Memory(
        resident=_kib("RssAnon", status) + _kib("RssFile", status),
        proportional=_kib("Pss", rollup.read_text(encoding="utf-8")) if rollup.exists() else None,
    )


def _kib(field: str, text: str) -> int:
    found = re.search(rf"^{field}:\s+(\d+) kB$", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"no {field} in {text!r}")
    return int(found[1])
