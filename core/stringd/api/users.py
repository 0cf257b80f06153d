"""Registered users."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A registered identity: its home and the further paths that it may touch."""

    id: str
    home: Path
    allowed_paths: tuple[Path, ...] = ()
    created_at: str
