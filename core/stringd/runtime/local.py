"""LocalRuntime: all that a daemon is made of, without a transport."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, contextmanager
from functools import cached_property, lru_cache, partial
from pathlib import Path

from stringd.actions.templates.template_run import TEMPLATE_MODULES
from stringd.api.documents import PART_CHARACTERS, Document, LoadedBytes, LoadRequest, LocalFile
from stringd.api.http import HttpClient
from stringd.api.replies import Outcome
from stringd.api.runtime import CommandHelp, Disconnected, Record
from stringd.api.sessions import Session, SessionSummary, State, TopicName
from stringd.api.storage import PluginStorage
from stringd.api.users import User
from stringd.api.workers import Workers
from stringd.config import Config
from stringd.documents.editing.file_locks import FileLocks
from stringd.errors import ErrorCode, InvalidTopic, Refusal, StorageFailed
from stringd.extensions.catalogue import Catalogue
from stringd.extensions.discovery import available_plugins
from stringd.extensions.plugin_settings import PluginSettings
from stringd.extensions.registration import Plugins, load_plugins
from stringd.runtime.loading import as_document, find_document, find_renderer, render_document
from stringd.sessions.execution import Sent
from stringd.sessions.live_session import LiveSession
from stringd.sessions.registry import Sessions
from stringd.sessions.runner import Runner
from stringd.sessions.session_data import SessionData
from stringd.sessions.store import SessionStore
from stringd.storage.data_directory import data_directory
from stringd.storage.plugin_storage import PluginStorages
from stringd.storage.secrets import SecretStore
from stringd.storage.undo import UndoStore
from stringd.text.topic_names import LONGEST_NAME, parse_topic
from stringd.users.store import Users
from stringd.workers.confinement import Seal
from stringd.workers.pool import WorkerPool

_TOPIC_NAMES = 4096


class LocalRuntime:
    """Holds users, sessions, plugins and the runner; it implements the `Runtime` that plugins see."""

    def __init__(self, config: Config, reserved_paths: Iterable[str] = ()) -> None:
        self.config = config
        self.port = config.port
        self.notices: list[str] = []
        self.users = Users(self.notices.append)
        self.store = SessionStore(self.notices.append)
        self.undo = UndoStore(self.notices.append)
        self.secrets = SecretStore(self.notices.append)
        self._storages = PluginStorages(self.notices.append)
        self.registry = Sessions(self.store, self.undo, self._make_session)
        self._file_locks = FileLocks()
        self._stopping = asyncio.Event()
        self._pools: list[WorkerPool] = []
        self._plugins: Plugins | None = None
        self._settings = PluginSettings(config)
        self._plugins = load_plugins(config, self, reserved_paths=reserved_paths, settings=self._settings)
        self.notices += self.plugins.notices()
        self.notices += self._settings.unknown_sections(it.name for it in available_plugins(config))
        self.runner = Runner(self, self.catalogue)
        self._parse_topic = lru_cache(_TOPIC_NAMES)(partial(parse_topic, types=self.catalogue.topic_types))

    @property
    def plugins(self) -> Plugins:
        """What was loaded, and what was not."""
        if self._plugins is None:
            raise RuntimeError("the daemon can be asked when it runs, not while its plugins are loaded")
        return self._plugins

    @property
    def catalogue(self) -> Catalogue:
        """What the plugins add."""
        return self.plugins.catalogue

    @cached_property
    def http(self) -> HttpClient:
        """The HTTP client of all topics, made at its first use."""
        from stringd.http_client.client import SharedHttpClient

        return SharedHttpClient(self.port)

    @cached_property
    def workers(self) -> Workers:
        """Processes for work that must not hold up the event loop, and can be stopped."""
        return self._closing(WorkerPool())

    @cached_property
    def template_workers(self) -> Workers:
        """Processes for templates alone: one that escapes its sandbox finds no other work there."""
        return self._closing(WorkerPool(Seal.COMPUTING, TEMPLATE_MODULES))

    async def aclose(self) -> None:
        """Close the HTTP client's connections and end the worker processes."""
        if "http" in vars(self):
            await self.http.aclose()
        for pool in self._pools:
            pool.close()

    def _closing(self, pool: WorkerPool) -> WorkerPool:
        self._pools.append(pool)
        return pool

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Lock the data directory and restore what earlier runs stored in it."""
        with data_directory(self.config.data_dir, self.notices.append), ExitStack() as opened:
            self.users.open(self.config.data_dir)
            self.secrets.open(self.config.data_dir)
            opened.callback(self.store.close)
            self._restore_sessions()
            opened.callback(self.undo.close)
            self.undo.open(self.config.data_dir)
            opened.enter_context(self._storages.opened(self.config.data_dir))
            yield

    def settings(self, record: type[Record]) -> Record:
        """Return a plugin's settings, by the record that it has declared."""
        return self._settings.of(record)

    def storage(self, plugin: str) -> PluginStorage:
        """Return what a plugin keeps for itself; it is named after the plugin."""
        if self._plugins and plugin not in self._plugins.names:
            raise ValueError(f"storage is named after a loaded plugin, and {plugin!r} is none")
        return self._storages.of(plugin)

    def editing(self, path: Path) -> AbstractAsyncContextManager[None]:
        """Keep every other command from editing the file at a real path meanwhile."""
        return self._file_locks.hold(path)

    def user(self, user_id: str) -> User:
        """Return a registered user, or raise `UnknownUser`."""
        return self.users.get(user_id)

    def topic_name(self, raw: object) -> TopicName:
        """Parse a topic's name, or raise `InvalidTopic`."""
        if isinstance(raw, str) and len(raw) <= LONGEST_NAME:
            return self._parse_topic(raw)
        return parse_topic(raw, self.catalogue.topic_types)

    def commands(self, topic_type: str) -> Mapping[str, CommandHelp]:
        """Return the commands of a topic type by name, sorted."""
        return self.catalogue.commands_of(topic_type)

    async def fork(self, session: Session, name: TopicName) -> None:
        """Let a new topic of the same user begin where a session is, or refuse if it is there already."""
        if self.registry.get(session.user.id, name):
            raise Refusal(ErrorCode.CONFLICT, f"The topic is there already: {name}")
        copy = self.registry.touch(session.user, name)
        copy.state = session.state
        if original := self.registry.get(session.user.id, session.name):
            copy.data.copy_from(original.data)
        await self.registry.save(copy)

    def sessions(self, user_id: str | None = None) -> Sequence[SessionSummary]:
        """List the topics of one user, or of all."""
        return [it.summary() for it in self.registry if user_id is None or it.user.id == user_id]

    @property
    def schemes(self) -> Collection[str]:
        """The schemes of the URIs that can be loaded, in lower case."""
        return self.catalogue.loaders.keys()

    @property
    def named_schemes(self) -> Collection[str]:
        """The schemes whose URIs documents show by names, beside those of the web."""
        return self.catalogue.named_schemes

    @property
    def load_options(self) -> Mapping[str, str]:
        """The options that one loader or another takes, such as `--browser`, and what each does."""
        return self.catalogue.load_options

    @property
    def trust_hint(self) -> str:
        """How a document of the network becomes the user's own, for messages; empty if there is no way."""
        return self.catalogue.trust_hint

    @property
    def secrets_hint(self) -> str:
        """In which topics the `$NAME`s of files that belong to no package are set, for messages."""
        return self.catalogue.secrets_hint

    def part_characters(self, uri: str) -> int:
        """Return how long a part of a long page with this URI is."""
        loader = self.catalogue.loaders.get(uri.partition(":")[0].lower())
        return loader.part_characters if loader else PART_CHARACTERS

    def added(self, record: type[Record]) -> Sequence[Record]:
        """Return what all plugins returned from the hook of this record, which some plugin brought."""
        return self.catalogue.added(record)

    def renders(self, media_type: str) -> bool:
        """Whether a plugin brought a renderer of this media type, beside what renders anything."""
        return find_renderer(self.catalogue, media_type) is not None

    async def render(self, loaded: LoadedBytes) -> Document:
        """Make a document of bytes, with the renderer that a plugin brought."""
        return await render_document(self.catalogue, loaded)

    async def find(self, wanted: LoadRequest) -> Document | LocalFile:
        """Fetch and render what is wanted, or return the file that its loader has found."""
        return await find_document(self.catalogue, wanted)

    async def load(self, wanted: LoadRequest) -> Document:
        """Fetch and render what is wanted, with the loader and renderer that plugins brought."""
        return await as_document(await self.find(wanted))

    @property
    def is_stopping(self) -> bool:
        """Whether the daemon has begun to stop."""
        return self._stopping.is_set()

    async def stopping(self) -> None:
        """Return when the daemon begins to stop."""
        await self._stopping.wait()

    async def stop(self, grace_seconds: float, end_seconds: float) -> None:
        """Tell routes and services that the daemon stops, and end all topics; see `Sessions.stop`."""
        self._stopping.set()
        await self.registry.stop(grace_seconds, end_seconds)

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
        """Wait for the topic's turn and run the command; see `Runtime.execute`."""
        sent = Sent(cmd, time.monotonic() if arrived is None else arrived, disconnected)
        session = self.registry.touch(self.users.get(user_id), topic)
        if self.runner.is_urgent(session, cmd):
            await session.step_aside()
            return await self._run(session, sent, begun)
        async with session.turn(disconnected):
            return await self._run(session, sent, begun)

    async def _run(self, session: LiveSession, sent: Sent, begun: Callable[[], None] | None) -> Outcome:
        if begun:
            begun()
        outcome = await session.run(self.runner.run(session, sent))
        try:
            await self.registry.save(session)
        except StorageFailed as failure:
            return outcome.failed(failure.as_refusal(), session.state.document)
        return outcome

    def _make_session(self, user: User, name: TopicName, state: State, has_data: bool) -> LiveSession:
        load = partial(self.store.load_data, user.id, str(name)) if has_data else None
        return LiveSession(
            user=user,
            name=name,
            topic_type=self.catalogue.topic_types[name.type],
            state=state,
            data=SessionData(self.plugins.names, load),
            runtime=self,
        )

    def _restore_sessions(self) -> None:
        known = {user.id: user for user in self.users}
        for it in self.store.open(self.config.data_dir):
            try:
                name = self.topic_name(it.topic)
            except InvalidTopic:
                continue
            if it.user_id in known:
                self.registry.touch(known[it.user_id], name, it.state, has_data=it.has_data)
