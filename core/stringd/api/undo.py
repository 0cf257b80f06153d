"""The edits that a topic can undo."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from stringd.api.sessions import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An edit: the file's text before it (None: there was no file), and the digest of the text after it.

    `directories` is the number of directories that were created for the file. A step that was stored but not
    `written` is skipped if the file is unchanged.
    """

    path: Path
    before: str | None
    after: str
    directories: int = 0
    written: bool = False


class Undo(Protocol):
    """The last edits of each topic; a failed write raises `StorageFailed`."""

    async def add(self, session: Session, step: Step) -> None:
        """Store an edit; beyond a limit, remove the oldest."""

    async def mark(self, session: Session) -> None:
        """Mark the topic's newest edit as written to its file."""

    async def last(self, session: Session) -> Step | None:
        """Return the topic's newest edit, or None."""

    async def drop(self, session: Session) -> None:
        """Remove the topic's newest edit."""

    async def forget(self, session: Session) -> None:
        """Remove all edits of the topic."""
