"""`LocalRuntime`, the daemon without any transport."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from functools import cached_property, lru_cache, partial
from pathlib import Path

from msgspec.structs import replace

from stringd.actions.templates.template_run import TEMPLATE_MODULES
from stringd.api.commands import BackgroundEffect
from stringd.api.doors import Address
from stringd.api.effects import Effect
from stringd.api.events import DaemonStopping
from stringd.api.http import HttpClient
from stringd.api.replies import Outcome
from stringd.api.runtime import Disconnected, Record
from stringd.api.sessions import Session, SessionSummary, State, TopicName
from stringd.api.stores import StoredSession
from stringd.api.topic_types import TopicNames
from stringd.api.users import User
from stringd.api.workers import Workers
from stringd.config import Config
from stringd.documents.editing.file_locks import FileLocks
from stringd.errors import CommandCancelled, InvalidTopic, UnknownUser
from stringd.events.bus import EventBus
from stringd.extensions.plugin_settings import PluginSettings
from stringd.extensions.registration import load_plugins
from stringd.long_answers.bounded_reply import bounded
from stringd.questions.all_questions import AllQuestions
from stringd.questions.operator import Operator
from stringd.runtime.background_effects import permit_in_background
from stringd.runtime.kept_state import KeptState
from stringd.runtime.shutdown_phases import ShutdownPhases
from stringd.runtime.user_changes import UserChanges
from stringd.sessions.answer_limit import AnswerSettings
from stringd.sessions.at_most_once import AtMostOnce
from stringd.sessions.live_session import LiveSession
from stringd.sessions.registry import Sessions
from stringd.sessions.runner import Runner
from stringd.sessions.session_data import SessionData
from stringd.storage.data_directory import data_directory
from stringd.text.topic_names import LONGEST_NAME, parse_topic
from stringd.users.fields import checked_id, checked_path
from stringd.workers.confinement import Seal
from stringd.workers.guarded_calls import call
from stringd.workers.pool import WorkerPool

log = logging.getLogger(__name__)

_TOPIC_NAMES, _RESTORED_AT_ONCE = 4096, 100


class LocalRuntime(ShutdownPhases, KeptState):
    """Holds users, sessions, plugins and the runner; implements the `Runtime` protocol."""

    def __init__(self, config: Config, reserved_paths: Iterable[str] = ()) -> None:
        super().__init__()
        # Workers have a working directory of their own.
        self.config = config = replace(config, data_dir=config.data_dir.absolute())
        self.listening: Mapping[str, Address] = {}
        self.events = EventBus()
        self.operator = Operator()
        self.questions = AllQuestions(self.operator, self.events.publish)
        self._file_locks = FileLocks()
        self._pools: list[WorkerPool] = []
        self._settings = PluginSettings(config)
        self._plugins = load_plugins(config, self, reserved_paths=reserved_paths, settings=self._settings)
        self._use_stores()
        stores = self.stores
        self.registry = Sessions(stores, self._make_session)
        self._once = AtMostOnce(stores.requests) if stores.requests else None
        self.notices += self.plugins.notices()
        self.notices += self._settings.unknown_sections(self.plugins.available)
        observers = (*self.catalogue.observers, self.questions.observer)
        self.events.declare(self.catalogue.event_kinds, observers)
        self.runner = Runner(self, self.catalogue, bounded)
        self._parse_topic = lru_cache(_TOPIC_NAMES)(partial(parse_topic, types=self.catalogue.topic_types))

    @property
    def port(self) -> int:
        """The port of the first socket that the daemon listens on."""
        return next(iter(self.listening.values())).port if self.listening else self.config.port

    @cached_property
    def http(self) -> HttpClient:
        """The HTTP client of all topics, created at its first use."""
        from stringd.http_client.shared_client import SharedHttpClient

        own_ports = (it.port for it in self.listening.values())
        return SharedHttpClient(*own_ports, limit=self.catalogue.zone_limit)

    @cached_property
    def workers(self) -> Workers:
        """Worker processes for jobs that would block the event loop or may never end."""
        return self._closing(WorkerPool())

    @cached_property
    def template_workers(self) -> Workers:
        """Worker processes for templates only: one that escapes its sandbox gets no other jobs."""
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
        """Open a runtime: lock the data directory and restore the stored state."""
        with (
            data_directory(self.config.data_dir, self.notices.append),
            self._opened_stores(self.config.data_dir, self._restore),
        ):
            yield

    def settings(self, record: type[Record]) -> Record:
        """Return a plugin's settings, an instance of its declared record."""
        return self._settings.of(record)

    def editing(self, path: Path) -> AbstractAsyncContextManager[None]:
        """Return a context manager that locks the file at a real path against edits by other commands."""
        return self._file_locks.hold(path)

    async def permit(self, effect: Effect, *, user: User, topic: str, purpose: str) -> None:
        """Return if all interceptors permit an effect outside of commands; see `Runtime.permit`."""
        asked = BackgroundEffect(effect=effect, user=user, topic=topic, purpose=purpose, runtime=self)
        await permit_in_background(self.catalogue.interceptors, asked)

    def user(self, user_id: str) -> User:
        """Return a registered user, or raise `UnknownUser`."""
        return self.users.get(user_id)

    @cached_property
    def user_changes(self) -> UserChanges:
        """Registers and removes users."""
        return UserChanges(users=self.users, registry=self.registry, secrets=self.secrets, events=self.events)

    async def register_user(
        self, user_id: object, home: object, allowed_paths: Iterable[object] | None = None
    ) -> User:
        """Register a user, or update it; see `Runtime.register_user`."""
        paths = None
        if allowed_paths is not None:
            paths = tuple(checked_path(path, "each of allowedPaths") for path in allowed_paths)
        changes = self.user_changes
        user, _ = await changes.register(checked_id(user_id), checked_path(home, "home"), paths)
        return user

    async def remove_user(self, user_id: str) -> bool:
        """Remove a user with its topics and secrets; return whether it existed."""
        return await self.user_changes.remove(user_id)

    def topic_name(self, raw: object) -> TopicName:
        """Parse a topic's name, or raise `InvalidTopic`."""
        if isinstance(raw, str) and len(raw) <= LONGEST_NAME:
            return self._parse_topic(raw)
        return parse_topic(raw, self.catalogue.topic_types)

    def takes_empty_text(self, user_id: str, raw: object) -> bool:
        """Whether an empty text means something in a topic, given its name as it was sent.

        If the topic fails to say so, the command does.
        """
        try:
            session = self.registry.get(user_id, self.topic_name(raw))
        except InvalidTopic:
            return False
        topic = session.lifetime.current if session else None
        try:
            return topic is not None and call(topic.takes_empty_text)
        except Exception:
            # It is asked again at the turn of the command, which can be answered.
            return True

    def ready_topics(self, user: User) -> Sequence[str]:
        """List the topics that plugins have ready for a user to open; it may block."""
        types = ((it.name, it.names) for it in self.catalogue.topic_types.values())
        return [f"{kind}:{name}" for kind, names in types if names for name in self._names(kind, names, user)]

    def _names(self, kind: str, names: TopicNames, user: User) -> Sequence[str]:
        """Return the names of the topics of a type that are ready; none if the plugin fails."""
        try:
            return call(lambda: list(names(user, self)))
        except Exception:
            log.exception("the names of topics of type %s can't be listed", kind)
            return ()

    async def fork(self, session: Session, name: TopicName) -> None:
        """Create a topic of the same user with a copy of the session's state; refuse if it exists."""
        await self.registry.fork(session, name)

    def sessions(self, user_id: str | None = None) -> Sequence[SessionSummary]:
        """List the sessions of one user, or of all users."""
        sessions = self.registry if user_id is None else self.registry.of_user(user_id)
        return [it.summary() for it in sessions]

    def session(self, user_id: str, topic: TopicName) -> Session | None:
        """Return a topic that exists, without opening it."""
        return self.registry.get(user_id, topic)

    @cached_property
    def part_characters(self) -> int:
        """How many characters an answer may have where the topic says nothing else."""
        return self.settings(AnswerSettings).part_characters

    @cached_property
    def output_characters(self) -> int:
        """How many characters of a program's output an answer may have; likewise."""
        return self.settings(AnswerSettings).output_characters

    async def stop(self, grace_seconds: float, end_seconds: float) -> None:
        """Notify routes and services of the shutdown, and end all topics; see `Sessions.stop`."""
        self._stopping.set()
        self.events.publish(DaemonStopping())
        await self.registry.stop(grace_seconds, end_seconds)
        self._topics_ended.set()
        self.events.close()

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
        """Wait for the topic's turn and run the command; see `Runtime.execute`."""
        session = self.registry.touch(self.users.get(user_id), topic, directory=directory)
        sent = self.runner.receive(
            session, cmd, arrived=arrived, disconnected=disconnected, request_id=request_id
        )
        try:
            await session.take_turn(sent)
        except CommandCancelled:
            return self.runner.refuse_waiting(session, sent)
        try:
            run = partial(self.registry.run, session, sent, self.runner.run, begun)
            if self._once and request_id:
                return await self._once.run(session, request_id, run)
            return await run()
        finally:
            session.end_turn(sent)

    async def cancel(self, user_id: str, topic: TopicName, request_id: str | None = None) -> str | None:
        """Cancel the running command of a topic, or that of a request; see `Session.cancel`."""
        session = self.registry.get(user_id, topic)
        return await session.cancel(request_id) if session else None

    async def restore_topics(self, user_id: str) -> None:
        """Add the stored topics of a user in portions, so that others need not wait; then serve them."""
        stored = await self.stores.sessions.of_user(user_id)
        for first in range(0, len(stored), _RESTORED_AT_ONCE):
            self._restore(stored[first : first + _RESTORED_AT_ONCE])
            await asyncio.sleep(0)
        self.registry.admit(user_id)

    async def release_topics(self, user_id: str, *, seconds: float, stored: bool, grace: float = 0.0) -> None:
        """End all topics of a user without deleting them; see `Runtime.release_topics`."""
        await self.registry.release(user_id, seconds, stored=stored, grace=grace)

    async def end_session(self, user_id: str, topic: TopicName) -> bool:
        """End a topic and delete its state; return whether it existed."""
        return await self.registry.delete(user_id, topic)

    def _make_session(self, user: User, name: TopicName, state: State, has_data: bool) -> LiveSession:
        load = partial(self.stores.sessions.load_data, user.id, str(name)) if has_data else None
        return LiveSession(
            user=user,
            name=name,
            topic_type=self.catalogue.topic_types[name.type],
            state=state,
            data=SessionData(self.plugins.names, load),
            runtime=self,
        )

    def _restore(self, stored: Iterable[StoredSession]) -> None:
        """Create the sessions of known users from their stored states."""
        for it in stored:
            with suppress(UnknownUser, InvalidTopic):
                user, name = self.users.get(it.user_id), self.topic_name(it.topic)
                if not self.registry.get(user.id, name):
                    self.registry.restore(user, name, it.state, has_data=it.has_data)
