"""One user's topic while the daemon runs."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from typing import Any, TypeAlias

from stringd.api.events import Event, SessionEnded, SessionForked, SessionOpened
from stringd.api.replies import Outcome
from stringd.api.runtime import Runtime
from stringd.api.sessions import EndReason, Session, SessionSummary, State, Topic, TopicName
from stringd.api.topic_types import TopicContext, TopicType
from stringd.api.users import User
from stringd.errors import ErrorCode, Refusal, Unavailable
from stringd.sessions.command_queue import CommandQueue
from stringd.sessions.command_tasks import command_tasks
from stringd.sessions.lifetime import TopicLifetime
from stringd.sessions.running_command import CLEAN_UP_SECONDS, RunningCommand, Sent
from stringd.sessions.session_data import SessionData
from stringd.sessions.state_limits import within_budget
from stringd.workers.guarded_calls import call_async

END_SECONDS = 6.0
COMMAND_SHARE = 0.4
_PUBLISHED = {
    EndReason.CLOSE: "closed",
    EndReason.DELETE: "deleted",
    EndReason.USER_REMOVED: "user removed",
    EndReason.SHUTDOWN: "shutdown",
    EndReason.MOVE: "moved",
}

CURRENT_SESSION: ContextVar[LiveSession | None] = ContextVar("session", default=None)
"""Set in the task that keeps a topic's context, and thus in all tasks that the topic starts by itself."""
RunCommand: TypeAlias = "Callable[[LiveSession, RunningCommand], Awaitable[Outcome]]"


class LiveSession:
    """A topic's queue, state and lifetime; implements the `Session` protocol."""

    def __init__(
        self,
        *,
        user: User,
        name: TopicName,
        topic_type: TopicType,
        state: State,
        data: SessionData,
        runtime: Runtime,
    ) -> None:
        self.user = user
        self.name = name
        self.topic_type = topic_type
        self.slash = topic_type.slash
        """The prefix of commands: `/`, or `//` if the topic takes plain text."""
        self.state = state
        self.data = data
        self.stored: State | None = None
        self.ended: Unavailable | None = None
        self.predecessor: asyncio.Event | None = None
        self.lifetime = TopicLifetime(self._open)
        self.turns = CommandQueue(f"{user.id}:{name}", runtime.config.queue_wait_seconds)
        self.is_abandoned = False
        """Whether nothing that belongs to it may be stored any more."""
        self.is_announced = False
        """Whether the latest event about it says that it was opened."""
        self._runtime = runtime
        self._running: dict[asyncio.Task[Any], RunningCommand] = {}

    @property
    def shows_documents(self) -> bool:
        """Whether documents can be opened in topics of this type."""
        return self.topic_type.documents

    @property
    def topic(self) -> Topic | None:
        """The object that the topic keeps between commands, if it is open."""
        return self.lifetime.current

    @property
    def is_ending(self) -> bool:
        """Whether the session was ended, so that its commands are cancelled."""
        return self.ended is not None

    def remember(self, state: State) -> None:
        """Replace the state, within its limits; it is stored before the command's reply is sent."""
        if not isinstance(state, State):
            raise TypeError(f"expected a State, got {state!r}")
        self.state = within_budget(state, self.state)

    async def end_topic(self, reason: EndReason = EndReason.CLOSE) -> None:
        """Exit the topic's context; the next command enters a new one."""
        await self.lifetime.close(reason)
        self.announce_end(reason)

    def announce_opening(self, origin: Session | None = None) -> None:
        """Publish that the topic was opened, unless that was published."""
        if not self.is_announced:
            self.is_announced = True
            self._runtime.events.publish(_opened(self, origin))

    def announce_end(self, reason: EndReason) -> None:
        """Publish why the topic has ended, if it was published as opened."""
        if self.is_announced:
            self.is_announced = False
            self._runtime.events.publish(
                SessionEnded(user_id=self.user.id, topic=self.name.text, reason=_PUBLISHED[reason])
            )

    async def take_turn(self, sent: Sent) -> None:
        """Wait for the turn of a command, which must be followed by `end_turn`; urgent commands need none."""
        self._refuse_reentry()
        if not sent.is_urgent and not self.turns.take_free():
            await self.turns.take(sent.disconnected, sent.request_id)
        if self.predecessor or self.ended:
            try:
                await self._ready()
            except BaseException:
                self.end_turn(sent)
                raise

    def end_turn(self, sent: Sent) -> None:
        """Begin the turn of the next command."""
        if not sent.is_urgent:
            self.turns.pass_on()

    async def _ready(self) -> None:
        """Wait for the end of an earlier session of this name; raise if this one has ended too."""
        if self.predecessor:
            await self.predecessor.wait()
        if self.ended:
            raise self.ended

    def _refuse_reentry(self) -> None:
        """Refuse a command from another command of the same topic: it would wait for itself."""
        if self._running and not self._running.keys().isdisjoint(command_tasks()):
            raise Refusal(
                ErrorCode.CONFLICT, f"A command of {self.name} can't wait for another one of {self.name}."
            )

    def refuse_waiting(self, reason: Unavailable) -> None:
        """Refuse the commands that wait for their turn."""
        self.turns.refuse_waiting(reason)

    async def settle(self) -> None:
        """Wait until no command is running."""
        await self.turns.idle()

    async def run(self, sent: Sent, run: RunCommand) -> Outcome:
        """Run a command in the calling task, so that `cancel` and `end` can reach it."""
        task = current_task()
        running = self._running[task] = RunningCommand(sent, task)
        if not self.is_announced:
            self.announce_opening()
        try:
            return await run(self, running)
        finally:
            del self._running[task]
            while (self.ended or running.is_cancelled) and task.cancelling():
                task.uncancel()
            running.end()

    async def cancel(self, request_id: str | None = None) -> str | None:
        """Cancel a command, and return its label; see `Session.cancel`."""
        running = self._find_running(request_id)
        if running:
            await running.cancel()
            return running.label
        if request_id is not None:
            return request_id if self.turns.cancel(request_id) else None
        topic = self.lifetime.current
        return await _cancel_topic(topic) if topic else None

    def _find_running(self, request_id: str | None) -> RunningCommand | None:
        """Return the command of a request; without one, the command that holds the turn."""
        for running in self._running.values():
            sent = running.sent
            if not sent.is_urgent if request_id is None else sent.request_id == request_id:
                return running
        return None

    async def end(self, reason: Unavailable, why: EndReason, seconds: float = END_SECONDS) -> None:
        """Reply to all commands with the reason, and exit the context, within a time limit."""
        self.ended = reason
        self.refuse_waiting(reason)
        started = time.monotonic()
        own = set(command_tasks())
        running = [it for it in self._running.values() if it.task not in own]
        await asyncio.gather(*(it.stop(seconds * COMMAND_SHARE) for it in running))
        await self.lifetime.close(why, seconds - (time.monotonic() - started))

    @contextlib.asynccontextmanager
    async def _open(self) -> AsyncIterator[Topic]:
        """Load the data that the topic may read, then enter its context."""
        CURRENT_SESSION.set(self)
        await self.data.read()
        context = TopicContext(session=self, runtime=self._runtime)
        opened = self.topic_type.open(context)
        async with _expect_context(opened, self.name.type) as topic:
            yield topic

    def summary(self) -> SessionSummary:
        """Describe the session for listings."""
        return SessionSummary(
            user_id=self.user.id,
            topic=str(self.name),
            topic_type=self.name.type,
            executing=self.turns.taken,
            queue_length=self.turns.waiting,
            document=self.state.document,
        )


def _opened(session: LiveSession, origin: Session | None) -> Event:
    user_id, topic = session.user.id, session.name.text
    if origin:
        return SessionForked(user_id=user_id, topic=topic, origin=str(origin.name))
    return SessionOpened(user_id=user_id, topic=topic)


def _expect_context(opened: object, topic_type: str) -> contextlib.AbstractAsyncContextManager[Topic]:
    if not isinstance(opened, contextlib.AbstractAsyncContextManager):
        raise TypeError(
            f"open of topic type {topic_type} must return an async context manager "
            f"(@asynccontextmanager makes one of a generator), but returned {opened!r}"
        )
    return opened


async def _cancel_topic(topic: Topic) -> str | None:
    """Stop what runs between commands, within a time limit."""
    async with asyncio.timeout(CLEAN_UP_SECONDS):
        label = await call_async(topic.cancel)
    if not isinstance(label, str | None):
        raise TypeError(f"expected the label of what was cancelled, got {label!r}")
    return label


def current_task() -> asyncio.Task[Any]:
    """Return the current task."""
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("commands must run in tasks")
    return task
