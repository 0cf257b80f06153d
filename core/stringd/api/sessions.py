"""Topics as commands see them: name, state, and the context that is kept alive between commands."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from enum import StrEnum
from functools import cached_property
from typing import Any, Protocol, TypeAlias

from msgspec import field

from stringd.api.checks import check_optional_text
from stringd.api.load_options import PUBLIC_ONLY, LoadOptions
from stringd.api.provenance import Attributed
from stringd.api.secrets import SecretScope
from stringd.api.users import User
from stringd.frozen_record import FrozenRecord


class TopicName(FrozenRecord, frozen=True, kw_only=True, dict=True):
    """A topic's parsed name."""

    type: str
    name: str
    config: str | None = None

    @cached_property
    def text(self) -> str:
        """The canonical form."""
        parts = (self.type, self.name) if self.config is None else (self.type, self.name, self.config)
        return ":".join(parts)

    def __str__(self) -> str:
        return self.text


class Location(FrozenRecord, frozen=True, kw_only=True):
    """Where a topic is: a document, what is shown of it, and how to load it again.

    `block` or `lines` (the first and the last, from 1) are shown, and of those a `part` if they are long.
    `options.nearest_zone` is the zone that the document itself came from, without what it includes.
    """

    uri: str
    title: str | None = None
    block: str | None = None
    lines: tuple[int, int] | None = None
    part: int = 1
    options: LoadOptions = PUBLIC_ONLY

    def __post_init__(self) -> None:
        check_optional_text("location", self.uri, self.title, self.block)
        if not isinstance(self.part, int):
            raise TypeError(f"location needs the number of a part, not {self.part!r}")
        if self.lines is not None and [type(it) for it in self.lines] != [int, int]:
            raise TypeError(f"location needs the first and the last of its lines, not {self.lines!r}")
        if not isinstance(self.options, LoadOptions):
            raise TypeError(f"location needs LoadOptions, not {self.options!r}")


NamedValue: TypeAlias = str | tuple[str, ...]


class State(FrozenRecord, frozen=True, kw_only=True):
    """The part of a topic that survives a restart. Immutable, so that a save never sees half a change.

    `seen` maps the path of each file to its digest when the topic last saw it; None if there was no file.
    `values` are the values of `@name` in later calls, as answers of actions defined them; `links` are the
    targets of the links in those answers. Values, links and `variables` carry their provenance.
    """

    document: Location | None = None
    history: tuple[Location, ...] = ()
    variables: Mapping[str, Attributed[str]] = field(default_factory=dict)
    directory: str | None = None
    seen: Mapping[str, str | None] = field(default_factory=dict)
    values: Mapping[str, Attributed[NamedValue]] = field(default_factory=dict)
    links: Mapping[str, Attributed[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_optional_text("state", self.directory, *self.seen, *self.seen.values())
        for named in (self.variables, self.values, self.links):
            check_optional_text("state", *named)
            if not all(isinstance(it, Attributed) for it in named.values()):
                raise TypeError(f"state needs Attributed values, not {named!r}")
        check_optional_text("state", *(it.value for it in (*self.variables.values(), *self.links.values())))
        locations = self.history if self.document is None else (*self.history, self.document)
        if not {*map(type, locations)} <= {Location}:
            raise TypeError(f"state needs Locations, not {locations!r}")

    def variable(self, name: str) -> str | None:
        """Return the value of a variable, if it is set."""
        found = self.variables.get(name)
        return None if found is None else found.value


class EndReason(StrEnum):
    """Why a topic ends."""

    CLOSE = "close"
    DELETE = "delete"
    USER_REMOVED = "user-removed"
    SHUTDOWN = "shutdown"
    MOVE = "move"


class Topic:
    """The object that a topic keeps between commands; types without one use this class itself."""

    help_title = "String Commands"
    """The system line of `/help`, for all commands or one."""

    def info(self) -> Mapping[str, str]:
        """Return the lines that `/info` adds for this topic; `cwd` replaces the built-in one."""
        return {}

    def masked(self, text: str) -> str:
        """Return a command's text with everything that is currently secret masked."""
        return text

    def check_variables(self, variables: Mapping[str, str]) -> None:
        """Raise a `Refusal` if the topic cannot accept variables that are about to be set."""

    def takes_empty_text(self) -> bool:
        """Whether an empty text means something, such as an empty line for a program; else it is refused."""
        return False

    def advice(self) -> str:
        """Return a hint to add to the refusal of an unknown command."""
        return ""

    async def cancel(self) -> str | None:
        """Stop what runs between commands and return its label; None if nothing runs."""
        return None

    def secret_scope(self) -> SecretScope | None:
        """Return the scope of the topic's `$NAME`s; None if it has none."""
        return None

    def form_secrets(self, origin: str) -> Mapping[str, str]:
        """Return the additional `$NAME`s, with values, that forms may send to an origin."""
        return {}

    def is_secret(self, name: str) -> bool:
        """Whether the value of `$name` is masked wherever it would be shown."""
        return True

    async def ending(self, reason: EndReason) -> None:
        """Save what should outlive the topic, right before its context is exited."""


class Session(Protocol):
    """One user's topic, for as long as it is listed."""

    @property
    def user(self) -> User:
        """The owner of the topic."""

    @property
    def name(self) -> TopicName:
        """The topic's name."""

    @property
    def shows_documents(self) -> bool:
        """Whether documents can be opened in topics of this type."""

    @property
    def slash(self) -> str:
        """The prefix of commands: `/`, or `//` if the topic takes plain text."""

    @property
    def topic(self) -> Topic | None:
        """The object that the topic keeps between commands; None before the first one and after its end."""

    @property
    def state(self) -> State:
        """The topic's current state."""

    @property
    def data(self) -> MutableMapping[str, Any]:
        """The data of plugins for the topic: one JSON value by the name of each plugin."""

    def remember(self, state: State) -> None:
        """Replace the state; it is stored before the command's reply is sent, unless the disk fails."""

    async def cancel(self, request_id: str | None = None) -> str | None:
        """Cancel the running command, or that of a request, which may still wait for its turn.

        Returns its label once it has ended, within a few seconds; None if there was nothing to cancel.
        """

    @property
    def is_ending(self) -> bool:
        """Whether the topic was deleted or the daemon stops, so that its commands are cancelled."""

    async def end_topic(self, reason: EndReason = EndReason.CLOSE) -> None:
        """Exit the topic's context; the next command enters a new one."""


class SessionSummary(FrozenRecord, frozen=True, kw_only=True):
    """One entry in a list of topics."""

    user_id: str
    topic: str
    topic_type: str
    executing: bool
    queue_length: int
    document: Location | None
