"""One user's topic while the daemon runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from stringd.contracts.daemon import Daemon
from stringd.contracts.replies import Outcome
from stringd.contracts.sessions import SessionSummary, State, TopicName
from stringd.contracts.topics import TopicContext, TopicType
from stringd.contracts.users import User
from stringd.errors import Unavailable
from stringd.sessions.keeper import Keeper
from stringd.sessions.turns import Turns

END_SECONDS = 2.0


class LiveSession:
    """A topic's queue, state and life in one place; it implements the `Session` that commands see."""

    def __init__(
        self, *, user: User, name: TopicName, topic_type: TopicType, state: State, daemon: Daemon
    ) -> None:
        self.user = user
        self.name = name
        self.topic_type = topic_type
        self.state = state
        self.stored: State | None = None
        self.ended: Unavailable | None = None
        self.keeper = Keeper(lambda: topic_type.open(TopicContext(session=self, daemon=daemon)))
        self._turns = Turns(f"{user.id}:{name}", daemon.config.queue_wait_seconds)
        self._running: asyncio.Task[Outcome] | None = None

    @property
    def shows_documents(self) -> bool:
        """Whether it is a kind of topic that documents are opened in."""
        return self.topic_type.documents

    def remember(self, state: State) -> None:
        """Replace the state; it is stored before the command's reply leaves."""
        self.state = state

    async def end_topic(self) -> None:
        """Leave the topic's context; the next command enters a fresh one."""
        await self.keeper.close()

    async def begin(
        self, work: Callable[[], Coroutine[Any, Any, Outcome]], gone: Callable[[], Awaitable[None]] | None
    ) -> asyncio.Task[Outcome]:
        """Start the work when its turn has come; the turn ends with it, whoever still waits for it."""
        await self._turns.take(gone)
        if self.ended:
            self._turns.pass_on()
            raise self.ended
        task = asyncio.create_task(work())
        self._running = task
        task.add_done_callback(self._finished)
        return task

    def refuse_waiting(self, reason: Unavailable) -> None:
        """Answer the commands that wait for their turn."""
        self._turns.refuse_waiting(reason)

    async def settle(self) -> None:
        """Wait until no command runs."""
        while self._running:
            await asyncio.wait({self._running})

    async def end(self, reason: Unavailable) -> None:
        """Answer what waits and what runs with the reason, and leave the topic."""
        self.ended = reason
        self.refuse_waiting(reason)
        # A task cancelled before its first step would end without a reply.
        await asyncio.sleep(0)
        if self._running and self._running is not asyncio.current_task():
            self._running.cancel()
            await asyncio.wait({self._running}, timeout=END_SECONDS)
        await self.keeper.close()

    def summary(self) -> SessionSummary:
        """Describe the session for listings."""
        return SessionSummary(
            user_id=self.user.id,
            topic=str(self.name),
            topic_type=self.name.type,
            executing=self._running is not None,
            queue_length=self._turns.waiting,
            document=self.state.document,
        )

    def _finished(self, task: asyncio.Task[Outcome]) -> None:
        self._running = None
        self._turns.pass_on()
