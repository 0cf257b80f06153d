"""The kinds of events that the daemon publishes to observers and watchers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

BASE_WEIGHT = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event; `at` is its time in seconds since 1970.

    Each kind is a subclass that sets `kind` and adds fields whose values are JSON. An event is published once
    and not changed afterwards.
    """

    kind: ClassVar[str] = ""

    user_id: str | None = None
    topic: str | None = None
    request_id: str | None = None
    at: float = field(default_factory=time.time)

    @property
    def weight(self) -> int:
        """The approximate size in memory in bytes; the daemon measures events of plugins itself."""
        return BASE_WEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandBegun(Event):
    """A command has begun. The label is its first line, with secrets masked and not truncated."""

    kind: ClassVar[str] = "command-begun"

    label: str

    @property
    def weight(self) -> int:
        """The approximate size in memory in bytes."""
        return BASE_WEIGHT + len(self.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandEnded(Event):
    """A command has ended: an error code if it failed, its run time, and the characters of its reply.

    Bodies and replies are left out, since they may contain secrets.
    """

    kind: ClassVar[str] = "command-ended"

    label: str
    code: str | None
    seconds: float
    size: int

    @property
    def weight(self) -> int:
        """The approximate size in memory in bytes."""
        return BASE_WEIGHT + len(self.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(Event):
    """The output of a command, or its progress: `done` of `total` (None: unknown) in a `unit` such as bytes.

    Text is masked, and shown as a terminal would show it. `source` says in a few words where it comes from.
    """

    kind: ClassVar[str] = "output"

    text: str | None = None
    done: int | None = None
    total: int | None = None
    unit: str | None = None
    source: str | None = None

    @property
    def weight(self) -> int:
        """The approximate size in memory in bytes."""
        return BASE_WEIGHT + len(self.text or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOpened(Event):
    """A topic was used for the first time."""

    kind: ClassVar[str] = "session-opened"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionForked(Event):
    """A topic was created as a copy of another one, its `origin`."""

    kind: ClassVar[str] = "session-forked"

    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded(Event):
    """A topic has ended: it was closed or deleted, its user was removed, or the daemon stops."""

    kind: ClassVar[str] = "session-ended"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserAdded(Event):
    """A user was registered."""

    kind: ClassVar[str] = "user-added"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserChanged(Event):
    """A user was given another home or other allowed paths."""

    kind: ClassVar[str] = "user-changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRemoved(Event):
    """A user was removed with all topics."""

    kind: ClassVar[str] = "user-removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeRestored(Event):
    """This node has become the owner of a user's topics, and has restored them."""

    kind: ClassVar[str] = "home-restored"


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeReleased(Event):
    """This node gives up a user's topics, or has lost them: what works for the user must end at once."""

    kind: ClassVar[str] = "home-released"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked(Event):
    """A question was asked; `question` is its object in `GET /questions`."""

    kind: ClassVar[str] = "question-asked"

    question_id: str
    question: Mapping[str, Any]

    @property
    def weight(self) -> int:
        """The approximate size in memory in bytes."""
        details = self.question["details"]
        texts = (self.question["body"], *details.values())
        return 4 * BASE_WEIGHT + sum(map(len, texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswered(Event):
    """A question was answered: by whom, and through what. Only the asker receives the answer."""

    kind: ClassVar[str] = "question-answered"

    question_id: str
    by: str
    through: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWithdrawn(Event):
    """A question was closed without an answer; `reason` says why in a few words."""

    kind: ClassVar[str] = "question-withdrawn"

    question_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonReady(Event):
    """The daemon is listening."""

    kind: ClassVar[str] = "daemon-ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonStopping(Event):
    """The daemon has begun to stop."""

    kind: ClassVar[str] = "daemon-stopping"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost(Event):
    """Events are missing here: their number (None: unknown), and the reason."""

    kind: ClassVar[str] = "lost"

    count: int | None
    reason: str


CORE_KINDS: tuple[type[Event], ...] = (
    CommandBegun,
    CommandEnded,
    Output,
    SessionOpened,
    SessionForked,
    SessionEnded,
    UserAdded,
    UserChanged,
    UserRemoved,
    HomeRestored,
    HomeReleased,
    QuestionAsked,
    QuestionAnswered,
    QuestionWithdrawn,
    DaemonReady,
    DaemonStopping,
    Lost,
)
