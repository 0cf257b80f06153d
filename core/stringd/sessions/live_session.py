"""One user's topic while the daemon runs."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from stringd.api.replies import Outcome
from stringd.api.runtime import Disconnected, Runtime
from stringd.api.sessions import EndReason, SessionSummary, State, Topic, TopicName
from stringd.api.topics import TopicContext, TopicType
from stringd.api.users import User
from stringd.errors import ErrorCode, Refusal, Unavailable
from stringd.sessions.command_queue import CommandQueue
from stringd.sessions.command_tasks import command_tasks
from stringd.sessions.lifetime import TopicLifetime
from stringd.sessions.session_data import SessionData
from stringd.sessions.state_limits import within_budget

END_SECONDS = 6.0
COMMAND_SHARE = 0.4


class LiveSession:
    """A topic's queue, state and lifetime; it implements the `Session` that commands see."""

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
        self.state = state
        self.data = data
        self.stored: State | None = None
        self.ended: Unavailable | None = None
        self.predecessor: asyncio.Event | None = None
        self.lifetime = TopicLifetime(lambda: self._open(TopicContext(session=self, runtime=runtime)))
        self.turns = CommandQueue(f"{user.id}:{name}", runtime.config.queue_wait_seconds)
        self._running: set[asyncio.Task[Any]] = set()

    @property
    def shows_documents(self) -> bool:
        """Whether documents can be opened in it."""
        return self.topic_type.documents

    @property
    def slash(self) -> str:
        """How commands begin in it: `/`, or `//` where plain text is taken."""
        return self.topic_type.slash

    def remember(self, state: State) -> None:
        """Replace the state, within its limits; it is stored before the command's reply is sent."""
        if not isinstance(state, State):
            raise TypeError(f"expected a State, got {state!r}")
        self.state = within_budget(state, self.state)

    async def end_topic(self, reason: EndReason = EndReason.CLOSE) -> None:
        """Exit the topic's context; the next command enters a new one."""
        await self.lifetime.close(reason)

    def turn(self, disconnected: Disconnected | None) -> Turn:
        """Return a context manager that holds the topic's turn."""
        return Turn(self, disconnected)

    async def step_aside(self) -> None:
        """Wait until an urgent command may begin, which needs no turn."""
        self.refuse_reentry()
        await self.ready()

    async def ready(self) -> None:
        """Wait for the end of an earlier session of this name; raise if this one has ended too."""
        if self.predecessor:
            await self.predecessor.wait()
        if self.ended:
            raise self.ended

    def refuse_reentry(self) -> None:
        """Refuse a command that another command of the same topic sends: it would wait for itself."""
        if not self._running.isdisjoint(command_tasks()):
            raise Refusal(
                ErrorCode.CONFLICT, f"A command of {self.name} can't wait for another one of {self.name}."
            )

    def refuse_waiting(self, reason: Unavailable) -> None:
        """Refuse the commands that wait for their turn."""
        self.turns.refuse_waiting(reason)

    async def settle(self) -> None:
        """Wait until no command runs."""
        await self.turns.idle()

    async def run(self, command: Coroutine[Any, Any, Outcome]) -> Outcome:
        """Run a command in the calling task, so that `end` can reach it."""
        task = _current_task()
        self._running.add(task)
        try:
            return await command
        finally:
            self._running.discard(task)
            while self.ended and task.cancelling():
                task.uncancel()

    async def end(self, reason: Unavailable, why: EndReason, seconds: float = END_SECONDS) -> None:
        """Answer all commands with the reason, and exit the context, within so many seconds."""
        self.ended = reason
        self.refuse_waiting(reason)
        started = time.monotonic()
        running = self._running.difference(command_tasks())
        for task in running:
            task.cancel()
        if running:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.turns.idle(), seconds * COMMAND_SHARE)
        await self.lifetime.close(why, seconds - (time.monotonic() - started))

    @contextlib.asynccontextmanager
    async def _open(self, context: TopicContext) -> AsyncIterator[Topic]:
        """Enter the topic's context when the data that it may read has been loaded."""
        await self.data.read()
        async with self.topic_type.open(context) as topic:
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


class Turn:
    """Holds a topic's turn. It is no generator, since every command pays for it."""

    __slots__ = ("_disconnected", "_session")

    def __init__(self, session: LiveSession, disconnected: Disconnected | None) -> None:
        self._session = session
        self._disconnected = disconnected

    async def __aenter__(self) -> None:
        session = self._session
        session.refuse_reentry()
        await session.turns.take(self._disconnected)
        try:
            await session.ready()
        except Unavailable:
            session.turns.pass_on()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._session.turns.pass_on()


def _current_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("commands run in tasks")
    return task
