"""The edits that a topic can undo."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from stringd.api.sessions import Session
from stringd.frozen_record import FrozenRecord


class Step(FrozenRecord, frozen=True, kw_only=True):
    """A change of a file: its text before (None: there was no file), and the digest of the text after it.

    `directories` is the number of directories that were created for the file. A step that was stored but not
    `written` is skipped if the file is unchanged. `charset` is that of the file before. With a `place`, only
    the bytes in this span of a large file are to be replaced, by one for each character of `before`.
    """

    path: Path
    before: str | None
    after: str
    directories: int = 0
    written: bool = False
    charset: str = "utf-8"
    place: tuple[int, int] | None = None


class Undo(Protocol):
    """The last edits of each topic; a failed write raises `StorageFailed`, if it is waited for."""

    async def add(self, session: Session, *steps: Step) -> None:
        """Store an edit of one or several files; beyond a limit, remove the oldest."""

    async def mark(self, session: Session) -> None:
        """Mark the topic's newest edit as written to its files, maybe later."""

    async def last(self, session: Session) -> Sequence[Step]:
        """Return the steps of the topic's newest edit, one for each file; empty if there is none."""

    async def drop(self, session: Session) -> None:
        """Remove the topic's newest edit."""

    async def forget(self, session: Session) -> None:
        """Remove all edits of the topic."""
