"""What a topic can take back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from stringd.api.sessions import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An edit: the file's text before it (None: there was no file), and the digest of the text it left.

    `directories` counts those that were made for the file. One that was kept, but not yet `written`, is
    passed over where the file holds what it held before.
    """

    path: Path
    before: str | None
    after: str
    directories: int = 0
    written: bool = False


class Undo(Protocol):
    """The last edits of each topic; all that fails to reach the disk raises `StorageFailed`."""

    async def add(self, session: Session, step: Step) -> None:
        """Keep an edit; of many, the oldest are forgotten."""

    async def mark(self, session: Session) -> None:
        """Note that the topic's newest edit has been written."""

    async def last(self, session: Session) -> Step | None:
        """Return the topic's newest edit, if there is one."""

    async def drop(self, session: Session) -> None:
        """Forget the topic's newest edit."""

    async def forget(self, session: Session) -> None:
        """Forget all edits of the topic."""
