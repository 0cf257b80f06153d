"""One user's topic while the daemon runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from stringd.api.replies import Outcome
from stringd.api.runtime import Runtime
from stringd.api.sessions import SessionSummary, State, Topic, TopicName
from stringd.api.topics import TopicContext, TopicType
from stringd.api.users import User
from stringd.errors import ErrorCode, Refusal, Unavailable
from stringd.extensions.containment import call_async
from stringd.sessions.command_queue import CommandQueue
from stringd.sessions.lifetime import TopicLifetime
from stringd.sessions.running_command import CLEAN_UP_SECONDS, RunningCommand, Sent
from stringd.sessions.state_limits import within_budget

END_SECONDS = 6.0
COMMAND_SHARE = 0.4

RunCommand: TypeAlias = "Callable[[LiveSession, RunningCommand], Awaitable[Outcome]]"


class LiveSession:
    """A topic's queue, state and lifetime; it implements the `Session` that commands see."""

    def __init__(
        self, *, user: User, name: TopicName, topic_type: TopicType, state: State, runtime: Runtime
    ) -> None:
        self.user = user
        self.name = name
        self.topic = str(name)
        self.topic_type = topic_type
        self.state = state
        self.stored: State | None = None
        self.ended: Unavailable | None = None
        self.predecessor: asyncio.Event | None = None
        self.lifetime = TopicLifetime(lambda: topic_type.open(TopicContext(session=self, runtime=runtime)))
        self.turns = CommandQueue(f"{user.id}:{name}", runtime.config.queue_wait_seconds)
        self._running: dict[asyncio.Task[Any], RunningCommand] = {}

    @property
    def shows_documents(self) -> bool:
        """Whether documents can be opened in it."""
        return self.topic_type.documents

    @property
    def slash(self) -> str:
        """How commands begin in it: `/`, or `//` where plain text is taken."""
        return self.topic_type.slash

    @property
    def is_ending(self) -> bool:
        """Whether the session was ended, so that its commands are cancelled."""
        return self.ended is not None

    def remember(self, state: State) -> None:
        """Replace the state, within its limits; it is stored before the command's reply is sent."""
        if not isinstance(state, State):
            raise TypeError(f"expected a State, got {state!r}")
        self.state = within_budget(state, self.state)

    async def end_topic(self) -> None:
        """Exit the topic's context; the next command enters a new one."""
        await self.lifetime.close()

    def turn(self, sent: Sent) -> Turn:
        """Return a context manager that holds the topic's turn."""
        return Turn(self, sent)

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
        if asyncio.current_task() in self._running:
            raise Refusal(
                ErrorCode.CONFLICT, f"A command of {self.name} can't wait for another one of {self.name}."
            )

    def refuse_waiting(self, reason: Unavailable) -> None:
        """Refuse the commands that wait for their turn."""
        self.turns.refuse_waiting(reason)

    async def settle(self) -> None:
        """Wait until no command runs."""
        await self.turns.idle()

    async def run(self, sent: Sent, run: RunCommand) -> Outcome:
        """Run a command in the calling task, so that `cancel` and `end` can reach it."""
        task = current_task()
        running = self._running[task] = RunningCommand(sent, task)
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
            if not sent.urgent if request_id is None else sent.request_id == request_id:
                return running
        return None

    async def end(self, reason: Unavailable, seconds: float = END_SECONDS) -> None:
        """Answer all commands with the reason, and exit the context, within so many seconds."""
        self.ended = reason
        self.refuse_waiting(reason)
        started = time.monotonic()
        own = asyncio.current_task()
        running = [it for it in self._running.values() if it.task is not own]
        await asyncio.gather(*(it.stop(seconds * COMMAND_SHARE) for it in running))
        await self.lifetime.close(seconds - (time.monotonic() - started))

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

    __slots__ = ("_sent", "_session")

    def __init__(self, session: LiveSession, sent: Sent) -> None:
        self._session = session
        self._sent = sent

    async def __aenter__(self) -> None:
        session = self._session
        session.refuse_reentry()
        await session.turns.take(self._sent.disconnected, self._sent.request_id)
        try:
            await session.ready()
        except Unavailable:
            session.turns.pass_on()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._session.turns.pass_on()


async def _cancel_topic(topic: Topic) -> str | None:
    """Stop what goes on between commands, which takes a plugin some seconds at most."""
    async with asyncio.timeout(CLEAN_UP_SECONDS):
        label = await call_async(topic.cancel)
    if not isinstance(label, str | None):
        raise TypeError(f"expected the label of what was cancelled, got {label!r}")
    return label


def current_task() -> asyncio.Task[Any]:
    """Return the task that runs, as every command does."""
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("commands run in tasks")
    return task
