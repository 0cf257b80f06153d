"""What a command sees of the topic that it runs in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from stringd.api.checks import check_optional_text
from stringd.api.provenance import Attributed
from stringd.api.secrets import SecretScope
from stringd.api.users import User
from stringd.api.zones import Zone


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicName:
    """A topic's parsed name; its text is the canonical form."""

    type: str
    name: str
    config: str | None = None

    def __str__(self) -> str:
        base = f"{self.type}:{self.name}"
        return base if self.config is None else f"{base}:{self.config}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where a topic is: a document, the block of it that is shown, and which part, if that is long.

    `zone` is the one that the document came from, without what it includes; `full` and `options` are what
    its loader was asked for.
    """

    uri: str
    title: str | None = None
    block: str | None = None
    part: int = 1
    zone: Zone = Zone.PUBLIC
    full: bool = False
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_optional_text("location", self.uri, self.title, self.block, *self.options)
        if not isinstance(self.part, int):
            raise TypeError(f"location needs the number of a part, not {self.part!r}")
        if not isinstance(self.zone, Zone):
            raise TypeError(f"location needs a Zone, not {self.zone!r}")


NamedValue: TypeAlias = str | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What survives a restart. Immutable: a change is a new state, so that saving sees a whole one.

    `seen` holds the digest of each file as the topic saw it last, by its path; None where there was none.
    `values` is what `@name` stands for since an action's answer said so, as a value of calls to come;
    `links` are the targets of the links in that answer. Each of them, and each of the `variables`, goes with
    who has brought it.
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
        if not all(isinstance(it, Location) for it in locations):
            raise TypeError(f"state needs Locations, not {locations!r}")

    def variable(self, name: str) -> str | None:
        """Return the value of a variable, if it is set."""
        found = self.variables.get(name)
        return None if found is None else found.value


class Topic:
    """What a topic keeps alive between commands; a type that keeps nothing yields this as it is."""

    def info(self) -> Mapping[str, str]:
        """Lines that `/info` adds for this topic; `cwd` stands in place of its own."""
        return {}

    def masked(self, text: str) -> str:
        """Return a command's text as it may be shown, whatever is secret at this moment hidden."""
        return text

    def check_variables(self, variables: Mapping[str, str]) -> None:
        """Raise a `Refusal` where the topic can't do with variables that are about to be set."""

    def advice(self) -> str:
        """What the refusal of an unknown command says beside that it is unknown."""
        return ""

    def secret_scope(self) -> SecretScope | None:
        """Where the topic's `$NAME`s are kept; None where it has none."""
        return None

    def is_secret(self, name: str) -> bool:
        """Whether the value of `$name` is hidden wherever it could be shown."""
        return True


class Session(Protocol):
    """One user's topic, for as long as it is listed."""

    @property
    def user(self) -> User:
        """Whose topic it is."""

    @property
    def name(self) -> TopicName:
        """The topic's name."""

    @property
    def shows_documents(self) -> bool:
        """Whether it is a kind of topic that documents are opened in."""

    @property
    def slash(self) -> str:
        """How commands begin in it: `/`, or `//` where plain text is taken."""

    @property
    def state(self) -> State:
        """Where the topic is."""

    def remember(self, state: State) -> None:
        """Replace the state; it is stored before the command's reply leaves, if the disk takes it."""

    async def end_topic(self) -> None:
        """Leave the topic's context; the next command enters a fresh one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """One line of a listing of topics."""

    user_id: str
    topic: str
    topic_type: str
    executing: bool
    queue_length: int
    document: Location | None
