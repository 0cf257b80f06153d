"""A minimal session at a location."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stringd.api.sessions import EndReason, Location, State, Topic, TopicName
from stringd.api.users import User


@dataclass(slots=True)
class Standing:
    """As much of a session as the document model asks for."""

    user: User
    state: State
    name: TopicName
    shows_documents: bool = True
    slash: str = "/"
    is_ending: bool = False
    topic: Topic | None = None
    data: dict[str, Any] = field(default_factory=dict)

    def remember(self, state: State) -> None:
        self.state = state

    async def cancel(self, request_id: str | None = None) -> str | None:
        raise AssertionError(f"no path cancels {request_id}")

    async def end_topic(self, reason: EndReason = EndReason.CLOSE) -> None:
        raise AssertionError("no path ends a topic")


def standing(
    home: Path,
    *,
    allowed: tuple[Path, ...] = (),
    file: str | None = None,
    uri: str | None = None,
    directory: str | None = None,
) -> Standing:
    """Return a session with a file of the home or a URI open, and a directory of the home set."""
    user = User(id="someone", home=home, allowed_paths=allowed, created_at="2026-01-01T00:00:00.000Z")
    shown = (home / file).as_uri() if file else uri
    state = State(
        document=Location(uri=shown) if shown else None,
        directory=str(home / directory) if directory else None,
    )
    return Standing(user=user, state=state, name=TopicName(type="file", name="main"))
