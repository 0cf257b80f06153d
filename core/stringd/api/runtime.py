"""The daemon, as plugins see it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from stringd.api.checks import check_async, check_word
from stringd.api.documents import Document, LoadedBytes, LoadRequest, LocalFile
from stringd.api.http import HttpClient
from stringd.api.replies import Outcome, Reply
from stringd.api.secrets import Secrets
from stringd.api.sessions import Session, SessionSummary, TopicName
from stringd.api.storage import PluginStorage
from stringd.api.undo import Undo
from stringd.api.users import User
from stringd.api.workers import Workers
from stringd.config import Config

Disconnected: TypeAlias = Callable[[], Awaitable[None]]
Record = TypeVar("Record")


class CommandHelp(Protocol):
    """What `/help` says about a command."""

    @property
    def name(self) -> str:
        """The word."""

    @property
    def summary(self) -> str:
        """What it does, in a sentence."""

    @property
    def usage(self) -> str:
        """How it is written."""

    def explained(self) -> Reply:
        """Return the answer to `/help` with this command's name."""


class Runtime(Protocol):
    """What commands, routes and services may ask of the running daemon."""

    @property
    def config(self) -> Config:
        """How it was started."""

    @property
    def port(self) -> int:
        """Where it listens on loopback."""

    @property
    def undo(self) -> Undo:
        """What topics can take back."""

    @property
    def secrets(self) -> Secrets:
        """The `$NAME`s of all topics."""

    def settings(self, record: type[Record]) -> Record:
        """Return a plugin's settings, by the record that it has declared; hooks may ask for them too."""

    def storage(self, plugin: str) -> PluginStorage:
        """Return what a plugin keeps for itself; it is named after the plugin."""

    @property
    def http(self) -> HttpClient:
        """What makes HTTP requests."""

    @property
    def workers(self) -> Workers:
        """Processes for work that must not hold up the event loop, and can be stopped."""

    @property
    def template_workers(self) -> Workers:
        """Processes that templates run in, and nothing else."""

    def editing(self, path: Path) -> AbstractAsyncContextManager[None]:
        """Keep every other command from editing the file at a real path meanwhile."""

    def user(self, user_id: str) -> User:
        """Return a registered user, or raise `UnknownUser`."""

    def topic_name(self, raw: object) -> TopicName:
        """Parse a topic's name, or raise `InvalidTopic`."""

    def commands(self, topic_type: str) -> Mapping[str, CommandHelp]:
        """Return the commands of a topic type by name, sorted."""

    async def fork(self, session: Session, name: TopicName) -> None:
        """Let a new topic of the same user begin where a session is, or refuse if it is there already."""

    def sessions(self, user_id: str | None = None) -> Sequence[SessionSummary]:
        """List the topics of one user, or of all."""

    @property
    def schemes(self) -> Collection[str]:
        """The schemes of the URIs that can be loaded, in lower case."""

    @property
    def named_schemes(self) -> Collection[str]:
        """The schemes whose URIs documents show by names, beside those of the web."""

    @property
    def load_options(self) -> Mapping[str, str]:
        """The options that one loader or another takes, such as `--browser`, and what each does."""

    @property
    def trust_hint(self) -> str:
        """How a document of the network becomes the user's own, for messages; empty if there is no way."""

    @property
    def secrets_hint(self) -> str:
        """In which topics the `$NAME`s of files that belong to no package are set, for messages."""

    def part_characters(self, uri: str) -> int:
        """Return how long a part of a long page with this URI is."""

    def added(self, record: type[Record]) -> Sequence[Record]:
        """Return what all plugins returned from the hook of this record, which some plugin brought."""

    def renders(self, media_type: str) -> bool:
        """Whether a plugin brought a renderer of this media type, beside what renders anything."""

    async def render(self, loaded: LoadedBytes) -> Document:
        """Make a document of bytes, or raise `Refusal` with `LOAD_ERROR` where no plugin can."""

    async def find(self, wanted: LoadRequest) -> Document | LocalFile:
        """Fetch and render what is wanted, or return the file that its loader has found."""

    async def load(self, wanted: LoadRequest) -> Document:
        """Fetch and render what is wanted, with the loader and renderer that plugins brought."""

    async def stopping(self) -> None:
        """Return when the daemon begins to stop: streams and WebSockets should end now."""

    async def execute(
        self,
        user_id: str,
        topic: TopicName,
        cmd: str,
        *,
        disconnected: Disconnected | None = None,
        begun: Callable[[], None] | None = None,
        arrived: float | None = None,
    ) -> Outcome:
        """Wait for the topic's turn, run the command in the calling task, and return what it left behind.

        `begun` is called when the turn has come; `arrived` is when the command was sent, if not now.
        An urgent command waits for no turn. Raises `ClientGone` when `disconnected` returns before
        that, `UnknownUser`, and `Unavailable` when there is no turn to be had; the command never runs then.
        Whatever goes wrong in the command itself is a reply.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Runs as long as the daemon does; when a required one fails or returns, the daemon ends.

    It is cancelled when the topics have ended; `Runtime.stopping` returns before that.
    """

    name: str
    run: Callable[[], Awaitable[None]]
    required: bool = False

    def __post_init__(self) -> None:
        check_word("service", self.name)
        check_async(f"service {self.name}", self.run, takes=0)
