"""The catalogue of everything that the loaded plugins add."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, field

from stringd.api.cli import CliCommand
from stringd.api.commands import Command, Interceptor, TopicGroup
from stringd.api.documents import Loader, Renderer
from stringd.api.doors import Door
from stringd.api.event_interfaces import EventKind, Observer
from stringd.api.health import HealthField
from stringd.api.hooks import Hook
from stringd.api.offered_prompts import PromptSource
from stringd.api.offered_tools import Tool
from stringd.api.runtime import Service
from stringd.api.settings import Settings, option_of, settings_by_key
from stringd.api.stores import Stores
from stringd.api.topic_types import TopicType
from stringd.api.zones import ZoneLimit

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

Record = TypeVar("Record")
_WEB = {"http", "https"}
_LISTENING = "what the daemon listens on"
RECORDS: Mapping[str, type] = {
    "topic_types": TopicType,
    "commands": Command,
    "loaders": Loader,
    "renderers": Renderer,
    "doors": Door,
    "services": Service,
    "interceptors": Interceptor,
    "observers": Observer,
    "event_kinds": EventKind,
    "health": HealthField,
    "cli": CliCommand,
    "tools": Tool,
    "prompts": PromptSource,
    "stores": Stores,
    "hooks": Hook,
}
"""The records of the hooks, by the names of the fields of a `Contribution`."""


class Contribution(Struct, frozen=True, kw_only=True):
    """Everything that one plugin adds."""

    topic_types: tuple[TopicType, ...] = ()
    commands: tuple[Command, ...] = ()
    loaders: tuple[Loader, ...] = ()
    renderers: tuple[Renderer, ...] = ()
    routes: tuple[BaseRoute, ...] = ()
    doors: tuple[Door, ...] = ()
    services: tuple[Service, ...] = ()
    interceptors: tuple[Interceptor, ...] = ()
    observers: tuple[Observer, ...] = ()
    event_kinds: tuple[EventKind, ...] = ()
    health: tuple[HealthField, ...] = ()
    cli: tuple[CliCommand, ...] = ()
    settings: tuple[Settings, ...] = ()
    tools: tuple[Tool, ...] = ()
    prompts: tuple[PromptSource, ...] = ()
    stores: tuple[Stores, ...] = ()
    hooks: tuple[Hook, ...] = ()
    extensions: tuple[tuple[Hook, Any], ...] = ()

    def claims(self) -> Iterator[str]:
        """Return the names that only one plugin may add, as shown in reports."""
        yield from (f"topic type {record.name}" for record in self.topic_types)
        yield from (claim for record in self.commands for claim in _command_claims(record))
        yield from (f"scheme {scheme}" for record in self.loaders for scheme in record.schemes)
        yield from (f"media type {media}" for record in self.renderers for media in record.media_types)
        yield from dict.fromkeys(f"route {path}" for path in self._paths())
        yield from (f"door {record.name}" for record in self.doors)
        yield from (_LISTENING for record in self.doors if record.listen)
        yield from (f"service {record.name}" for record in self.services)
        yield from (f"interceptor {record.name}" for record in self.interceptors)
        yield from (f"observer {record.name}" for record in self.observers)
        yield from (f"kind of event {record.name}" for record in self.event_kinds)
        yield from (f"health field {record.name}" for record in self.health)
        yield from (f"subcommand {record.name}" for record in self.cli)
        yield from (f"tool {record.name}" for record in self.tools)
        yield from (f"prompt source {record.name}" for record in self.prompts)
        yield from ("set of stores" for _ in self.stores)
        yield from (f"hook {record.name}" for record in self.hooks)
        yield from (f"{hook.what} {name}" for hook in self.hooks for name in sorted(hook.reserved))
        yield from (f"{hook.what} {record.name}" for hook, record in self.extensions)

    def options(self) -> Iterator[str]:
        """Return the `/open` options of loaders, as shown in reports; plugins may share an option."""
        yield from (f"option --{word} of /open" for record in self.loaders for word in record.options)

    def yields_to(self) -> Iterator[str]:
        """Return further names that must be free: only a type's own plugin may redefine a shared command."""
        own = {record.name for record in self.topic_types}
        for record in self.commands:
            if isinstance(record.topic_types, frozenset) and not record.topic_types <= own:
                yield f"command /{record.name}"
        yield from (below(path.split("/")[1]) for path in self._paths() if path.count("/") > 1)

    def _paths(self) -> Iterator[str]:
        yield from (getattr(route, "path", "") for route in self.routes)


class Catalogue(Struct):
    """Everything that all plugins add, looked up by name."""

    topic_types: dict[str, TopicType] = field(default_factory=dict)
    loaders: dict[str, Loader] = field(default_factory=dict)
    load_options: dict[str, str] = field(default_factory=dict)
    named_schemes: set[str] = field(default_factory=set)
    renderers: dict[str, Renderer] = field(default_factory=dict)
    routes: list[BaseRoute] = field(default_factory=list)
    doors: list[Door] = field(default_factory=list)
    services: list[Service] = field(default_factory=list)
    interceptors: list[Interceptor] = field(default_factory=list)
    observers: list[Observer] = field(default_factory=list)
    event_kinds: list[EventKind] = field(default_factory=list)
    health: list[HealthField] = field(default_factory=list)
    cli: dict[str, CliCommand] = field(default_factory=dict)
    tools: list[Tool] = field(default_factory=list)
    prompts: list[PromptSource] = field(default_factory=list)
    stores: list[Stores] = field(default_factory=list)
    hooks: list[Hook] = field(default_factory=list)
    trust_hint: str = ""
    secrets_hint: str = ""
    commands_by_type: dict[str, Mapping[str, Command]] = field(default_factory=dict)
    """The commands of each topic type by name, sorted; those that name the type override shared ones."""
    urgent_by_type: dict[str, Mapping[str, Command]] = field(default_factory=dict)
    """The commands of each topic type that may be urgent, by name."""
    _commands: list[Command] = field(default_factory=list)
    _extensions: list[Any] = field(default_factory=list)

    def add(self, added: Contribution) -> None:
        """Add a contribution whose claims have been checked."""
        self.topic_types |= {record.name: record for record in added.topic_types}
        for record in added.topic_types:
            self.trust_hint = self.trust_hint or record.trust_hint
            self.secrets_hint = self.secrets_hint or record.secrets_hint
        self.loaders |= {scheme: record for record in added.loaders for scheme in record.schemes}
        for loader in added.loaders:
            self._add_options(loader)
        self.renderers |= {media: record for record in added.renderers for media in record.media_types}
        self.cli |= {record.name: record for record in added.cli}
        self.routes += added.routes
        self.doors += added.doors
        self.services += added.services
        self.interceptors += added.interceptors
        self.observers = sorted((*self.observers, *added.observers), key=attrgetter("order"))
        self.event_kinds += added.event_kinds
        self.health += added.health
        self.tools += added.tools
        self.prompts += added.prompts
        self.stores += added.stores
        self.hooks += added.hooks
        self._extensions += (record for _, record in added.extensions)
        self._commands += added.commands
        for topic_type in self.topic_types.values():
            commands = self._collect(topic_type)
            self.commands_by_type[topic_type.name] = commands
            self.urgent_by_type[topic_type.name] = {it.name: it for it in commands.values() if it.urgent}

    @property
    def zone_limit(self) -> ZoneLimit | None:
        """The farthest of the limits of all loaders."""
        limits = (it.limit for it in self.loaders.values() if it.limit)
        return min(limits, key=attrgetter("nearest_zone"), default=None)

    def _add_options(self, loader: Loader) -> None:
        if loader.named_links:
            self.named_schemes |= {scheme for scheme in loader.schemes if scheme not in _WEB}
        for word, explanation in loader.options.items():
            line = f"{', '.join(loader.schemes)}: {explanation}"
            known = self.load_options.get(f"--{word}")
            self.load_options[f"--{word}"] = f"{known} {line}" if known else line

    def added(self, record: type[Record]) -> Sequence[Record]:
        """Return the records of one type, from hooks defined by plugins."""
        return [it for it in self._extensions if isinstance(it, record)]

    def _collect(self, topic_type: TopicType) -> dict[str, Command]:
        shared = {record.name: record for record in self._commands if _is_shared_with(record, topic_type)}
        own = {record.name: record for record in self._commands if _names(record, topic_type)}
        return dict(sorted((shared | own).items()))


def _is_shared_with(command: Command, topic_type: TopicType) -> bool:
    if command.topic_types is TopicGroup.DOCUMENTS:
        return topic_type.documents
    return command.topic_types is TopicGroup.ALL


def _names(command: Command, topic_type: TopicType) -> bool:
    return isinstance(command.topic_types, frozenset) and topic_type.name in command.topic_types


def _command_claims(command: Command) -> Iterable[str]:
    if isinstance(command.topic_types, frozenset):
        return (command_claim(command.name, name) for name in sorted(command.topic_types))
    return (f"command /{command.name}",)


def command_claim(name: str, topic_type: str) -> str:
    """Return the claim on a command of a topic type."""
    return f"command /{name} of {topic_type} topics"


def settings_claims(plugin: str, settings: Settings) -> Iterator[str]:
    """Return the claims on a plugin's settings and their options."""
    for key, it in settings_by_key(settings).items():
        yield f"setting {plugin}.{key}"
        if option := option_of(plugin, it):
            yield option_claim(option)


def option_claim(option: str) -> str:
    """Return the claim on an option of `stringd`."""
    return f"option {option}"


def below(segment: str) -> str:
    """Return the claim on all routes below a first path segment."""
    return f"route below /{segment}/"
