"""Registered users."""

from __future__ import annotations

from pathlib import Path

from stringd.frozen_record import FrozenRecord


class User(FrozenRecord, frozen=True, kw_only=True):
    """A registered identity: its home and the further paths that it may touch."""

    id: str
    home: Path
    allowed_paths: tuple[Path, ...] = ()
    created_at: str
