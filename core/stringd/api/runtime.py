"""The interface of the running daemon for plugins."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from stringd.api.additions import CommandHelp, PluginSummary, TopicTypeHelp
from stringd.api.append_logs import AppendLogs, ChainHeads
from stringd.api.checks import check_async, check_word
from stringd.api.documents import Document, LoadedBytes, LoadRequest, LocalFile
from stringd.api.doors import Address
from stringd.api.effects import Effect
from stringd.api.event_interfaces import Events
from stringd.api.http import HttpClient
from stringd.api.offered_prompts import PromptSource
from stringd.api.offered_tools import Tool
from stringd.api.outputs import Outputs
from stringd.api.peers import Peers
from stringd.api.question_interfaces import Questions
from stringd.api.replies import Outcome
from stringd.api.secrets import Secrets
from stringd.api.sessions import Session, SessionSummary, TopicName
from stringd.api.storage import PluginStorage
from stringd.api.undo import Undo
from stringd.api.users import User
from stringd.api.workers import Workers
from stringd.config import Config
from stringd.frozen_record import FrozenRecord

Disconnected: TypeAlias = Callable[[], Awaitable[None]]
Record = TypeVar("Record")


class Runtime(Protocol):
    """The running daemon, for commands, routes and services."""

    def __hash__(self) -> int:
        """Return the hash of this object, so that what belongs to a daemon can be looked up."""

    @property
    def config(self) -> Config:
        """The settings of the daemon."""

    @property
    def port(self) -> int:
        """The port that the daemon listens on; the first one behind a door with several."""

    @property
    def listening(self) -> Mapping[str, Address]:
        """What the daemon listens on, by name; empty until the sockets are bound, before it runs."""

    @property
    def events(self) -> Events:
        """The events of the daemon."""

    @property
    def questions(self) -> Questions:
        """The open questions to a person or an agent."""

    @property
    def undo(self) -> Undo:
        """The undo steps of all topics."""

    @property
    def outputs(self) -> Outputs:
        """The long answers that topics keep."""

    @property
    def secrets(self) -> Secrets:
        """The `$NAME`s of all topics."""

    @property
    def homes_move(self) -> bool:
        """Whether users move to other daemons, with all that is stored, but with nothing that runs."""

    @property
    def logs(self) -> AppendLogs | None:
        """Where logs are kept that must follow their users to other nodes; None: in files of this daemon."""

    @property
    def heads(self) -> ChainHeads | None:
        """Where the heads of chains of hashes are kept beside their files; None: nowhere."""

    @property
    def peers(self) -> Peers | None:
        """The other daemons that keep their state where this one does; None: there are none."""

    def settings(self, record: type[Record]) -> Record:
        """Return a plugin's settings, an instance of its declared record; available to hooks, too."""

    def storage(self, plugin: str) -> PluginStorage:
        """Return the persistent storage of a plugin."""

    @property
    def http(self) -> HttpClient:
        """The HTTP client of all topics."""

    @property
    def workers(self) -> Workers:
        """Worker processes for jobs that would block the event loop or may never end."""

    @property
    def template_workers(self) -> Workers:
        """Worker processes for templates only."""

    def editing(self, path: Path) -> AbstractAsyncContextManager[None]:
        """Return a context manager that locks the file at a real path, to be changed in it.

        Entering it raises `Refusal` if a guard does not permit the change.
        """

    @property
    def users(self) -> Iterable[User]:
        """All registered users."""

    def user(self, user_id: str) -> User:
        """Return a registered user, or raise `UnknownUser`."""

    async def register_user(
        self, user_id: object, home: object, allowed_paths: Iterable[object] | None = None
    ) -> User:
        """Register a user, or update it, as `POST /users` does; raise `RequestRefused` for invalid values.

        A new home ends the user's topics. Without `allowed_paths`, they stay as they are.
        """

    async def remove_user(self, user_id: str) -> bool:
        """Remove a user with its topics and secrets, but not its files; return whether it existed."""

    def topic_name(self, raw: object) -> TopicName:
        """Parse a topic's name, or raise `InvalidTopic`."""

    @property
    def topic_types(self) -> Mapping[str, TopicTypeHelp]:
        """The topic types by name."""

    def commands(self, topic_type: str) -> Mapping[str, CommandHelp]:
        """Return the commands of a topic type by name, sorted."""

    def ready_topics(self, user: User) -> Sequence[str]:
        """List the topics that plugins have ready for a user to open; it may block."""

    @property
    def plugin_summaries(self) -> Sequence[PluginSummary]:
        """The selected plugins, loaded or skipped, in the order of loading."""

    @property
    def plugin_names(self) -> Sequence[str]:
        """The names of the loaded plugins."""

    async def fork(self, session: Session, name: TopicName) -> None:
        """Create a topic of the same user with a copy of the session's state; refuse if it exists."""

    def sessions(self, user_id: str | None = None) -> Sequence[SessionSummary]:
        """List the sessions of one user, or of all users."""

    def session(self, user_id: str, topic: TopicName) -> Session | None:
        """Return a topic that exists, without opening it."""

    @property
    def schemes(self) -> Collection[str]:
        """The URI schemes of all loaders, in lower case."""

    @property
    def named_schemes(self) -> Collection[str]:
        """The schemes, besides those of the web, whose links are shown as shortcuts."""

    @property
    def load_options(self) -> Mapping[str, str]:
        """The options of all loaders, with their descriptions."""

    @property
    def trust_hint(self) -> str:
        """How a document from the network becomes the user's own, for messages; empty if it cannot."""

    @property
    def secrets_hint(self) -> str:
        """In which topics the `$NAME`s of files that belong to no package are set, for messages."""

    @property
    def part_characters(self) -> int:
        """How many characters an answer may have where the topic says nothing else."""

    @property
    def output_characters(self) -> int:
        """How many characters of a program's output an answer may have; likewise."""

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools that agents are offered beside topics."""

    @property
    def prompts(self) -> Sequence[PromptSource]:
        """The sources of prompts."""

    def added(self, record: type[Record]) -> Sequence[Record]:
        """Return the records of this type that plugins returned from a hook defined by a plugin."""

    def renders(self, media_type: str) -> bool:
        """Whether there is a renderer for this media type, other than those for all types."""

    async def render(self, loaded: LoadedBytes) -> Document:
        """Render bytes as a document; raise `Refusal` with `LOAD_ERROR` if no plugin renders them."""

    async def find(self, wanted: LoadRequest) -> Document | LocalFile:
        """Load and render a URI, or return the local file that its loader found."""

    async def save(self, wanted: LoadRequest) -> LoadedBytes:
        """Have the bytes of a URI written to `wanted.save`; return what is known of them."""

    async def load(self, wanted: LoadRequest) -> Document:
        """Load and render a URI; of a local file, return the text as a document."""

    async def permit(self, effect: Effect, *, user: User, topic: str, purpose: str) -> None:
        """Return if all interceptors permit an effect outside of commands, else raise the first `Refusal`.

        It may take long: a person may be asked. `purpose` says on one line what the effect is for.
        """

    async def stopping(self) -> None:
        """Return when the daemon begins to stop; streams and WebSockets should then end."""

    async def topics_ended(self) -> None:
        """Return when the daemon stops and all topics have ended and are stored."""

    async def execute(
        self,
        user_id: str,
        topic: TopicName,
        cmd: str,
        *,
        disconnected: Disconnected | None = None,
        begun: Callable[[], None] | None = None,
        arrived: float | None = None,
        request_id: str | None = None,
        directory: Path | None = None,
    ) -> Outcome:
        """Wait for the topic's turn, run the command in the calling task, and return its outcome.

        A topic that begins with this command begins in `directory`, by default in the home.

        `begun` is called when the command's turn begins; `arrived` is the time of arrival, by default now.
        The command can be cancelled by its `request_id`, which is also in its events.
        An urgent command does not wait for its turn. Raises `ClientGone` if `disconnected` returns while the
        command waits, `UnknownUser`, and `Unavailable` if it gets no turn; in each case it never runs.
        Failures of the command itself are replies.
        """

    async def cancel(self, user_id: str, topic: TopicName, request_id: str | None = None) -> str | None:
        """Cancel the running command of a topic, or that of a request; see `Session.cancel`."""

    async def restore_topics(self, user_id: str) -> None:
        """Add the stored topics of a user, which has none, and serve them; or raise `StorageFailed`."""

    async def release_topics(self, user_id: str, *, seconds: float, stored: bool, grace: float = 0.0) -> None:
        """End all topics of a user without deleting them, and refuse new ones until they are restored.

        Commands that wait are refused with `HomeMoved`. Those that run have so many seconds of `grace`, and
        are then answered likewise, within about `seconds`. With `stored`, what topics save at their end is
        stored; without, nothing is stored for them any more, whatever still runs.
        """

    async def end_session(self, user_id: str, topic: TopicName) -> bool:
        """End a topic and delete its state, as `DELETE /sessions/…` does; return whether it existed."""


class Service(FrozenRecord, frozen=True, kw_only=True):
    """A task that runs as long as the daemon; if a required one returns or fails, the daemon stops.

    It is cancelled after all topics have ended; `Runtime.stopping` returns before that.
    """

    name: str
    run: Callable[[], Awaitable[None]]
    required: bool = False
    stop_seconds: float = 0.0
    """How long the daemon waits for it when it stops, before connections are closed; at most 3 s."""

    def __post_init__(self) -> None:
        check_word("service", self.name)
        check_async(f"service {self.name}", self.run, takes=0)
